import { describe, expect, it } from 'vitest';
import { DEVICES_KEPT, type TriesCounter } from '../../../core/owners/password-tries.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, erasing, NOON, SIGNER } from './scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROWS = { address: 1, newcomers: 101, repeaters: 201 };
const HASH = 'hash of the password';

async function ownerWithPassword(storage: Storage): Promise<{ ownerId: string; email: string }> {
  const ownerId = await addOwner(storage);
  await storage.setPassword(ownerId, HASH, SIGNER);
  return { ownerId, email: `${ownerId}@example.org` };
}

/** @returns the counters that count the try, or its wait */
async function tried(
  storage: Storage,
  email: string,
  { rows = ROWS, device = null, now = NOON }: { rows?: typeof ROWS; device?: string | null; now?: Date } = {},
): Promise<readonly TriesCounter[] | number> {
  const taken = await storage.takePasswordTry({ signer: SIGNER, email, rows, deviceHash: device, now });
  return taken.kind === 'check' ? taken.counted : taken.waitMs;
}

function matched(
  storage: Storage,
  ownerId: string,
  device: string,
  {
    counted = [],
    passwordHash = HASH,
    now = NOON,
  }: { counted?: readonly TriesCounter[]; passwordHash?: string; now?: Date } = {},
): Promise<boolean> {
  return storage.passwordMatched({
    signer: SIGNER,
    ownerId,
    passwordHash,
    rows: ROWS,
    counted,
    deviceHash: device,
    now,
  });
}

const STRANGER = ['address', 'newcomers'];

export function passwordPromises(store: Store): void {
  describe('tries at passwords', () => {
    it('find the owner by email in upper or lower case, with the hash to check', async () => {
      const { storage } = store();
      const { ownerId, email } = await ownerWithPassword(storage);
      const request = { rows: ROWS, deviceHash: null, now: NOON };
      expect(
        await storage.takePasswordTry({ signer: SIGNER, ...request, email: email.toUpperCase() }),
      ).toEqual({
        kind: 'check',
        counted: STRANGER,
        isKnownDevice: false,
        found: {
          owner: await storage.owner(ownerId),
          passwordHash: HASH,
          isAltered: false,
          hasSecondStep: false,
        },
      });
    });

    it('are counted in the same way, whether or not an owner has the email', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      for (const [n, one] of [email, 'nobody@example.org'].entries()) {
        const rows = { address: n, newcomers: 100 + n, repeaters: 200 + n };
        const answers = [];
        for (let times = 0; times < 4; times++) answers.push(await tried(storage, one, { rows }));
        expect(answers).toEqual([STRANGER, STRANGER, STRANGER, 5000]);
      }
    });

    it('from many addresses at one email wait for each other', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      const from = (address: number, now = NOON) =>
        tried(storage, email, { rows: { ...ROWS, address }, now });
      for (let address = 2; address < 12; address++) expect(await from(address)).toEqual(STRANGER);
      expect(await from(12)).toBe(1000);
      expect(await from(13, at(1000))).toEqual(STRANGER);
      expect(await from(14, at(1000))).toBe(2000);
    });

    it('are still counted after the store is opened again, and by another connection', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      await tried(storage, email);
      expect(await tried(await store().second(), email)).toEqual(STRANGER);
      const again = await store().reopen();
      expect(await tried(again, email)).toEqual(STRANGER);
      expect(await tried(again, email)).toBe(5000);
    });

    it('with the right password no longer count', async () => {
      const { storage } = store();
      const { ownerId, email } = await ownerWithPassword(storage);
      for (let times = 0; times < 20; times++) {
        expect(await tried(storage, email)).toEqual(STRANGER);
        expect(await matched(storage, ownerId, 'd', { counted: ['address', 'newcomers'] })).toBe(true);
      }
    });

    it('move a future time to now, once only', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      const year = at(365 * 24 * HOUR);
      for (let times = 0; times < 3; times++) await tried(storage, email, { now: year });
      expect(await tried(storage, email)).toBe(5000);
      expect(await tried(storage, email, { now: at(2000) })).toBe(3000);
      expect(await tried(storage, email, { now: at(5000) })).toEqual(['address', 'repeaters']);
    });

    it('are erased once they are forgotten, and not before', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      for (let times = 0; times < 3; times++) await tried(storage, email);
      await storage.erase(erasing({ passwordTriesBefore: at(36 * HOUR) }));
      expect(await tried(storage, email)).toBe(5000);
      await storage.erase(erasing({ passwordTriesBefore: at(36 * HOUR + 1) }));
      expect(await tried(storage, email)).toEqual(STRANGER);
    });

    it('of hundreds of emails leave the counters of one unchanged', async () => {
      const { storage } = store();
      const { email } = await ownerWithPassword(storage);
      for (let times = 0; times < 3; times++) await tried(storage, email);
      for (let first = 0; first < 500; first += 50) {
        const junk = Array.from({ length: 50 }, (_, offset) => {
          const n = first + offset;
          const rows = { address: 1000 + n, newcomers: 100_000 + n, repeaters: 200_000 + n };
          return tried(storage, `junk-${n}@example.org`, { rows });
        });
        await Promise.all(junk);
      }
      expect(await tried(storage, email)).toBe(5000);
    }, 120_000);
  });

  describe('known devices', () => {
    it('have separate tries, which neither strangers nor their address use up', async () => {
      const { storage } = store();
      const { ownerId, email } = await ownerWithPassword(storage);
      await matched(storage, ownerId, 'd');
      for (let times = 0; times < 3; times++) await tried(storage, email);
      expect(await tried(storage, email)).toBe(5000);
      for (let times = 0; times < 5; times++) {
        expect(await tried(storage, email, { device: 'd' })).toEqual(['device']);
      }
      // It now has to wait for itself, which is shorter than the wait of its address.
      expect(await tried(storage, email, { device: 'd' })).toBe(1000);
      expect(await tried(storage, email, { device: 'd', now: at(1000) })).toEqual(['device']);
    });

    it('are distinguished from each other, and are known for one owner only', async () => {
      const { storage } = store();
      const [one, other] = [await ownerWithPassword(storage), await ownerWithPassword(storage)];
      await matched(storage, one.ownerId, 'd');
      const asked = [
        [one.email, 'd', true],
        [one.email, 'e', false],
        [one.email, null, false],
        [other.email, 'd', false],
        ['nobody@example.org', 'd', false],
      ] as const;
      for (const [n, [email, deviceHash, isKnownDevice]] of asked.entries()) {
        const rows = { address: n, newcomers: 100 + n, repeaters: 200 + n };
        const taken = await storage.takePasswordTry({ signer: SIGNER, email, deviceHash, rows, now: NOON });
        expect(taken).toMatchObject({ kind: 'check', isKnownDevice });
      }
    });

    it('are forgotten when the password changes, and only those of that owner', async () => {
      const { storage } = store();
      const [one, other] = [await ownerWithPassword(storage), await ownerWithPassword(storage)];
      for (const { ownerId } of [one, other]) await matched(storage, ownerId, 'd');
      await storage.setPassword(one.ownerId, 'new', SIGNER);
      expect(await tried(storage, one.email, { device: 'd' })).toEqual(STRANGER);
      expect(await tried(storage, other.email, { device: 'd' })).toEqual(['device']);
    });

    it('are not added with a password that was changed meanwhile, nor is its try given back', async () => {
      const { storage } = store();
      const { ownerId, email } = await ownerWithPassword(storage);
      await tried(storage, email);
      await storage.setPassword(ownerId, 'new', SIGNER);
      expect(await matched(storage, ownerId, 'd', { counted: ['address', 'newcomers'] })).toBe(false);
      expect(await tried(storage, email, { device: 'd' })).toEqual(STRANGER);
      expect(await tried(storage, email)).toEqual(STRANGER);
      expect(await tried(storage, email)).toBe(5000);
    });

    it(`are the ${DEVICES_KEPT} that signed in last`, async () => {
      const { storage } = store();
      const { ownerId, email } = await ownerWithPassword(storage);
      for (let n = 0; n < DEVICES_KEPT; n++) await matched(storage, ownerId, `d${n}`, { now: at(n) });
      await matched(storage, ownerId, 'd0', { now: at(100) });
      // The clock went back: the newest is kept all the same.
      await matched(storage, ownerId, 'newest', { now: at(-1000) });
      expect(await tried(storage, email, { device: 'd1' })).toEqual(STRANGER);
      for (const device of ['d0', 'd2', `d${DEVICES_KEPT - 1}`, 'newest']) {
        expect(await tried(storage, email, { device })).toEqual(['device']);
      }
    });
  });
}

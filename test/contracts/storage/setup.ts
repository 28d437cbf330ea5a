import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON, SIGNER } from './scene.ts';

const MINUTE_MS = 60_000;

const FIRST = { secretHash: 'first', expiresAt: at(MINUTE_MS) };

/** @param setupHash  undefined: as `countersign owner add` does */
const owner = (ownerId: string, setupHash?: string, now = NOON) => ({
  ...({ ownerId, email: `${ownerId}@example.org`, timezone: 'UTC', plan: 'paid', limits: {} } as const),
  ...{ language: 'en-GB', plansKeptDays: 30, proofFor: 'every_12_hours' as const },
  ...{ passwordHash: 'hash', setupHash, signer: SIGNER, now },
});

export function setupPromises(store: Store): void {
  describe('the link of the first run', () => {
    it('is open until it expires, and is replaced by the next one', async () => {
      const { storage } = store();
      const isOpen = (secretHash: string, ms = 0) => storage.isSetupOpen({ secretHash, now: at(ms) });
      expect(await isOpen('first')).toBe(false);
      expect(await storage.openSetup(FIRST)).toBe(true);
      expect(await isOpen('first', MINUTE_MS - 1)).toBe(true);
      expect(await isOpen('first', MINUTE_MS)).toBe(false);
      expect(await isOpen('second')).toBe(false);
      expect(await storage.openSetup({ secretHash: 'second', expiresAt: at(2 * MINUTE_MS) })).toBe(true);
      expect(await isOpen('first')).toBe(false);
      expect(await isOpen('second', MINUTE_MS)).toBe(true);
      expect(await storage.addOwner(owner('a', 'first'))).toBe(false);
      expect(await storage.addOwner(owner('a', 'second', at(2 * MINUTE_MS)))).toBe(false);
      expect(await storage.owners({ after: '', limit: 1 })).toEqual([]);
      expect(await storage.addOwner(owner('a', 'second', at(MINUTE_MS)))).toBe(true);
    });

    it('has no effect once there is an owner, however that owner was added', async () => {
      const { storage } = store();
      await storage.openSetup(FIRST);
      await addOwner(storage);
      expect(await storage.isSetupOpen({ secretHash: 'first', now: NOON })).toBe(false);
      expect(await storage.addOwner(owner('a', 'first'))).toBe(false);
      expect(await storage.openSetup(FIRST)).toBe(false);
      expect(await storage.isSetupOpen({ secretHash: 'first', now: NOON })).toBe(false);
      expect(await storage.owner('a')).toBeUndefined();
    });

    it('does not come back when the owner is removed', async () => {
      const { storage } = store();
      await storage.openSetup(FIRST);
      await storage.addOwner(owner('a', 'first'));
      await storage.removeOwner('a');
      expect(await storage.addOwner(owner('b', 'first'))).toBe(false);
      expect(await storage.openSetup(FIRST)).toBe(true);
      expect(await storage.addOwner(owner('b', 'first'))).toBe(true);
    });

    it('adds one owner if several people use it at once', async () => {
      const { storage, second } = store();
      const other = await second();
      for (let round = 0; round < 10; round += 1) {
        expect(await storage.openSetup(FIRST)).toBe(true);
        const added = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 === 0 ? storage : other).addOwner(owner(`user-${n}`, 'first')),
          ),
        );
        const owners = (await storage.owners({ after: '', limit: 10 })).map(({ ownerId }) => ownerId);
        expect(owners).toEqual([`user-${added.indexOf(true)}`]);
        expect(added.filter((won) => won)).toHaveLength(1);
        for (const ownerId of owners) await storage.removeOwner(ownerId);
      }
      await other.close();
    });

    it('adds nobody beside an owner who is added without it at the same time', async () => {
      const { storage, second } = store();
      const other = await second();
      await storage.openSetup(FIRST);
      const [byLink, byCommand] = await Promise.all([
        storage.addOwner(owner('link', 'first')),
        other.addOwner(owner('command')),
      ]);
      await other.close();
      expect(byCommand).toBe(true);
      // Whoever knows the other path may add a second owner, and the link never does.
      const owners = (await storage.owners({ after: '', limit: 3 })).map(({ ownerId }) => ownerId);
      expect(owners).toEqual(byLink ? ['command', 'link'] : ['command']);
      expect(await storage.addOwner(owner('late', 'first'))).toBe(false);
    });
  });
}

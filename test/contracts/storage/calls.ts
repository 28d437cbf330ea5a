import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PLAN_LIMITS } from '../../../core/keys/limits.ts';
import type { Plan } from '../../../core/keys/permissions.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import {
  activity,
  addKey,
  addOwner,
  addOwnerAndKey,
  admit,
  admitted,
  at,
  call,
  finish,
  LAPSED_MS,
  LEASE_MS,
  NOON,
  SIGNER,
} from './scene.ts';

const PLANS: readonly Plan[] = ['free', 'paid'];

/** Waits until a moment after midnight UTC if that is near, so that no test runs across it. */
function untilMidnight(): number {
  return 86_400_000 - (Date.now() % 86_400_000) + 1000;
}

export function callPromises(store: Store): void {
  describe('admit', () => {
    it('finds the owner, the credential and the accounts by the hash of a secret', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      for (const label of ['work', 'home']) {
        await storage.addAccount({
          ownerId: key.ownerId,
          label,
          email: `${label}@example.org`,
          signature: '',
          seal: (id) => `sealed ${id}`,
          folderRoles: USUAL_ROLES,
          now: NOON,
        });
      }
      const answer = await admit(storage, key);
      if (answer.kind !== 'admitted') throw new Error(answer.kind);
      expect(answer.caller.owner).toEqual(await storage.owner(key.ownerId));
      expect([answer.caller.credential]).toEqual(await storage.credentials(key.ownerId, SIGNER));
      expect(answer.caller.accounts).toEqual(await storage.accounts(key.ownerId));
      expect(answer.caller.accounts.map(({ label }) => label)).toEqual(['work', 'home']);
      expect(answer.rate).toEqual({ limit: 60, remaining: 59, resetS: 60 });
    });

    it('finds nothing by a secret that was never issued, has expired, or belongs to a revoked credential', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const key = await addKey(storage, ownerId, { expiresAt: at(1000) });
      expect(await call(storage, { ...key, secretHash: 'never issued' })).toBe('unknown');
      expect(await call(storage, key, at(999))).toBe('admitted');
      expect(await call(storage, key, at(1000))).toBe('unknown');
      const revoked = await addKey(storage, ownerId);
      await storage.revoke({ signer: SIGNER, ...revoked, now: NOON });
      expect(await call(storage, revoked)).toBe('unknown');
    });

    it('finds a credential by its id as by its secret, with the same limits, as long as one of its secrets lives', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage, { limits: { concurrentCalls: 2 } });
      const key = await addKey(storage, ownerId, { expiresAt: at(1000) });
      const byId = (id: { ownerId: string; credentialId: string }, now = NOON) =>
        storage.admit({ ...id, slotId: randomUUID(), leaseMs: LEASE_MS, signer: SIGNER, now });
      const id = { ownerId, credentialId: key.credentialId };
      const bySecret = await admit(storage, key);
      expect(bySecret).toMatchObject({ kind: 'admitted', rate: { remaining: 59 } });
      const found = await byId(id);
      expect(found).toMatchObject({ kind: 'admitted', rate: { remaining: 58 } });
      if (found.kind !== 'admitted' || bySecret.kind !== 'admitted') throw new Error('not admitted');
      expect({ ...found.caller, slotId: '' }).toEqual({ ...bySecret.caller, slotId: '' });
      expect(await byId(id)).toMatchObject({ kind: 'over', verdict: { code: 'busy' } });
      expect(await byId(id, at(1000))).toEqual({ kind: 'unknown' });
      expect(await byId({ ...id, credentialId: 'none' })).toEqual({ kind: 'unknown' });
      expect(await byId({ ...id, ownerId: await addOwner(storage) })).toEqual({ kind: 'unknown' });
      const revoked = await addKey(storage, ownerId);
      await storage.revoke({ signer: SIGNER, ...revoked, now: NOON });
      expect(await byId({ ownerId, credentialId: revoked.credentialId })).toEqual({ kind: 'unknown' });
    });

    it.each(PLANS)('admits as many calls a minute as the %s plan allows, and not one more', async (plan) => {
      const { storage, passTime } = store();
      const key = await addKey(storage, await addOwner(storage, { plan, limits: {} }));
      const { callsPerMinute } = PLAN_LIMITS[plan];
      for (let n = 0; n < callsPerMinute; n++) expect(await call(storage, key)).toBe('admitted');
      // Only the store's clock decides when the window ends, whatever the host's clock shows.
      const over = await admit(storage, key, { now: at(10 * 60_000) });
      expect(over).toMatchObject({ kind: 'over', verdict: { code: 'rate_limited' } });
      // The window ends 60 s after its first call. Refused calls do not count in the next window.
      await passTime(60_000);
      for (let n = 0; n < callsPerMinute; n++) expect(await call(storage, key)).toBe('admitted');
      expect(await call(storage, key)).toBe('rate_limited');
    });

    it('admits as many calls a day as the plan allows, over all keys of the owner', async () => {
      const { storage, passTime } = store();
      await passTime(untilMidnight());
      // The rule is the same for each plan, and this one's number is the smallest.
      const plan = 'free';
      const ownerId = await addOwner(storage, { plan, limits: { callsPerMinute: 100_000 } });
      const keys = [await addKey(storage, ownerId), await addKey(storage, ownerId)] as const;
      const { callsPerDay } = PLAN_LIMITS[plan];
      for (let n = 0; n < callsPerDay; n++) {
        expect(await call(storage, n % 2 === 0 ? keys[0] : keys[1])).toBe('admitted');
      }
      await passTime(12 * 3_600_000);
      expect(await call(storage, keys[0])).toBe('daily_limit_reached');
      expect(await call(storage, keys[1])).toBe('daily_limit_reached');
      await passTime(12 * 3_600_000);
      expect(await call(storage, keys[0])).toBe('admitted');
    }, 120_000);

    it.each(PLANS)(
      'admits two calls at a time for a key of the %s plan, and gives a slot back',
      async (plan) => {
        const { storage } = store();
        const ownerId = await addOwner(storage, { plan, limits: {} });
        const key = await addKey(storage, ownerId);
        const first = await admitted(storage, key);
        await admitted(storage, key);
        expect(await call(storage, key)).toBe('busy');
        // Another key of the same owner has its own slots.
        expect(await call(storage, await addKey(storage, ownerId))).toBe('admitted');
        await finish(storage, key, first);
        expect(await call(storage, key)).toBe('admitted');
      },
    );

    it('does not count a call that is over a limit', async () => {
      const { storage, passTime } = store();
      await passTime(untilMidnight());
      const ownerId = await addOwner(storage, { limits: { callsPerMinute: 3, callsPerDay: 4 } });
      const key = await addKey(storage, ownerId);
      const held = [await admitted(storage, key), await admitted(storage, key)];
      for (let n = 0; n < 10; n++) expect(await call(storage, key)).toBe('busy');
      for (const caller of held) await finish(storage, key, caller);
      expect(await call(storage, key)).toBe('admitted');
      for (let n = 0; n < 10; n++) expect(await call(storage, key)).toBe('rate_limited');
      await passTime(60_000);
      expect(await call(storage, key)).toBe('admitted');
      expect(await call(storage, key)).toBe('daily_limit_reached');
    });

    it("applies the owner's own limits", async () => {
      const { storage } = store();
      const key = await addKey(
        storage,
        await addOwner(storage, { plan: 'free', limits: { concurrentCalls: 3 } }),
      );
      for (let n = 0; n < 3; n++) await admitted(storage, key);
      expect(await call(storage, key)).toBe('busy');
    });

    it('frees slots whose lease has expired, and does not give them back again', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const gone = await admitted(storage, key, { leaseMs: LAPSED_MS });
      await admitted(storage, key);
      await admitted(storage, key);
      expect(await call(storage, key)).toBe('busy');
      await storage.renew({ ownerId: key.ownerId, slotId: gone.slotId }, LEASE_MS);
      await finish(storage, key, gone);
      expect(await call(storage, key)).toBe('busy');
    });
  });

  describe('renew', () => {
    it('sets the end of a slot that is in use', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await admitted(storage, key);
      const second = await admitted(storage, key);
      await storage.renew({ ownerId: key.ownerId, slotId: first.slotId }, LEASE_MS);
      expect(await call(storage, key)).toBe('busy');
      await storage.renew({ ownerId: key.ownerId, slotId: second.slotId }, LAPSED_MS);
      expect(await call(storage, key)).toBe('admitted');
    });
  });

  describe('a slot whose lease has expired', () => {
    it('cannot be renewed: another call may have taken its place', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lapsed = await admitted(storage, key);
      await admitted(storage, key);
      const held = { ownerId: key.ownerId, slotId: lapsed.slotId };
      await storage.renew(held, LAPSED_MS);
      await storage.renew(held, LEASE_MS);
      expect(await call(storage, key)).toBe('admitted');
    });
  });

  describe('finish', () => {
    it('writes one activity row', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { slotId } = await admitted(storage, key);
      const row = activity(key, {
        outcome: 'rate_limited',
        approvalId: 'apr_1',
        durationMs: 7,
        shown: ['m1_a', 'm1_b'],
        listed: ['c0ffee'],
      });
      await storage.finish({ caller: key, slotId, claim: null, activity: row, now: at(5) });
      expect(await storage.activity({ ownerId: key.ownerId, limit: 10 })).toEqual([
        { ...row, at: at(5), id: 1, request: null },
      ]);
    });

    it('may run twice, or late: the slot is given back once', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const caller = await admitted(storage, key);
      await finish(storage, key, caller);
      await admitted(storage, key);
      await admitted(storage, key);
      await finish(storage, key, caller);
      expect(await call(storage, key)).toBe('busy');
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';

const OWNER = {
  ownerId: 'user-1',
  email: 'Ada.Ünal@Example.org',
  timezone: 'Europe/Zurich',
  plan: 'free',
  limits: { callsPerMinute: 5 },
  passwordHash: 'hash',
  now: NOON,
} as const;

export function ownerPromises(store: Store): void {
  describe('owners', () => {
    it('are found by id, and by email in any case', async () => {
      const { storage } = store();
      expect(await storage.addOwner(OWNER)).toBe(true);
      const { passwordHash, now: _now, ...facts } = OWNER;
      const owner = { ...facts, activeAccountId: null };
      expect(await storage.owner('user-1')).toEqual(owner);
      expect(await storage.ownerByEmail('ADA.ÜNAL@EXAMPLE.ORG')).toEqual({ owner, passwordHash });
      expect(await storage.owner('USER-1')).toBeUndefined();
      expect(await storage.ownerByEmail('ada@example.org')).toBeUndefined();
    });

    it('are not added twice, by id or by email in any case', async () => {
      const { storage } = store();
      expect(await storage.addOwner(OWNER)).toBe(true);
      expect(await storage.addOwner({ ...OWNER, email: 'other@example.org', plan: 'paid' })).toBe(false);
      expect(await storage.addOwner({ ...OWNER, ownerId: 'user-2', email: 'ada.ünal@example.ORG' })).toBe(
        false,
      );
      expect(await storage.owner('user-1')).toMatchObject({ email: OWNER.email, plan: 'free' });
      expect(await storage.owner('user-2')).toBeUndefined();
    });

    it('are all told, the longest there first', async () => {
      const { storage } = store();
      expect(await storage.owners()).toEqual([]);
      await storage.addOwner({ ...OWNER, ownerId: 'user-2', email: 'late@example.org', now: at(1000) });
      await storage.addOwner(OWNER);
      expect(await storage.owners()).toEqual([await storage.owner('user-1'), await storage.owner('user-2')]);
    });

    it('may have no password, and be given one', async () => {
      const { storage } = store();
      await storage.addOwner({ ...OWNER, passwordHash: null });
      expect(await storage.ownerByEmail(OWNER.email)).toMatchObject({ passwordHash: null });
      expect(await storage.setPassword('user-1', 'new')).toBe(true);
      expect(await storage.ownerByEmail(OWNER.email)).toMatchObject({ passwordHash: 'new' });
      expect(await storage.setPassword('user-2', 'new')).toBe(false);
    });
  });

  describe('sessions', () => {
    it('lead to their owner until they are over', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await storage.addSession({ tokenHash: 't1', ownerId, expiresAt: at(1000), now: NOON });
      expect(await storage.session('t1', at(999))).toEqual(await storage.owner(ownerId));
      expect(await storage.session('t1', at(1000))).toBeUndefined();
      expect(await storage.session('t2', NOON)).toBeUndefined();
    });

    it('end one by one, or with the password', async () => {
      const { storage } = store();
      const [ownerId, other] = [await addOwner(storage), await addOwner(storage)];
      for (const tokenHash of ['t1', 't2', 't3']) {
        await storage.addSession({ tokenHash, ownerId, expiresAt: at(1000), now: NOON });
      }
      await storage.addSession({ tokenHash: 'o', ownerId: other, expiresAt: at(1000), now: NOON });
      await storage.endSession('t1');
      await storage.endSession('never');
      expect(await storage.session('t1', NOON)).toBeUndefined();
      expect(await storage.session('t2', NOON)).toBeDefined();
      await storage.setPassword(ownerId, 'new');
      for (const tokenHash of ['t2', 't3']) expect(await storage.session(tokenHash, NOON)).toBeUndefined();
      expect(await storage.session('o', NOON)).toMatchObject({ ownerId: other });
    });
  });
}

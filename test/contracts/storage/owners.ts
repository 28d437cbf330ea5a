import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import { at, keysRecord, NOON } from './scene.ts';

const OWNER = {
  ownerId: 'user-1',
  email: 'Ada.Ünal@Example.org',
  timezone: 'Europe/Zurich',
  plan: 'free',
  limits: { callsPerMinute: 5 },
  passwordHash: 'hash',
  keysRecord: keysRecord('user-1'),
  now: NOON,
} as const;

export function ownerPromises(store: Store): void {
  describe('owners', () => {
    it('are found by id, and by email in any case', async () => {
      const { storage } = store();
      expect(await storage.addOwner(OWNER)).toBe(true);
      const { passwordHash, keysRecord: _record, now: _now, ...facts } = OWNER;
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

    it('are all listed, the longest there first', async () => {
      const { storage } = store();
      expect(await storage.owners()).toEqual([]);
      await storage.addOwner({ ...OWNER, ownerId: 'user-2', email: 'late@example.org', now: at(1000) });
      await storage.addOwner(OWNER);
      expect(await storage.owners()).toEqual([await storage.owner('user-1'), await storage.owner('user-2')]);
    });

    it('may have no password, and receive one later', async () => {
      const { storage } = store();
      await storage.addOwner({ ...OWNER, passwordHash: null });
      expect(await storage.ownerByEmail(OWNER.email)).toMatchObject({ passwordHash: null });
      expect(await storage.setPassword('user-1', 'new')).toBe(true);
      expect(await storage.ownerByEmail(OWNER.email)).toMatchObject({ passwordHash: 'new' });
      expect(await storage.setPassword('user-2', 'new')).toBe(false);
    });
  });
}

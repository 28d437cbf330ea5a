import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../core/gate/permissions.ts';
import type { Store } from '../storage.ts';
import {
  addKey,
  addOwner,
  addOwnerAndKey,
  approve,
  ask,
  at,
  call,
  DIRECT,
  NOON,
  run,
  start,
  told,
} from './scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function credentialPromises(store: Store): void {
  describe('addCredential', () => {
    it('answers what it added', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const added = await storage.addCredential({
        ownerId,
        credentialId: 'key_1',
        kind: 'pat',
        name: 'Agent “one”',
        modes: PRESETS.organise.modes,
        secretHash: 'hash 1',
        expiresAt: at(90 * DAY_MS),
        now: NOON,
      });
      expect(added).toEqual({
        ownerId,
        credentialId: 'key_1',
        kind: 'pat',
        name: 'Agent “one”',
        modes: PRESETS.organise.modes,
        revision: 1,
        createdAt: NOON,
        expiresAt: at(90 * DAY_MS),
        overlapUntil: null,
        revokedAt: null,
      });
      expect(await storage.credentials(ownerId)).toEqual([added]);
    });

    it('rejects a secret, an id or an owner that cannot be', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const more = { kind: 'pat', name: 'n', modes: DIRECT, expiresAt: at(DAY_MS), now: NOON } as const;
      await expect(storage.addCredential({ ...key, ...more, secretHash: 'new' })).rejects.toThrow();
      await expect(storage.addCredential({ ...key, ...more, credentialId: 'key_new' })).rejects.toThrow();
      const orphan = { ownerId: 'nobody', credentialId: 'key_new', secretHash: 'new' };
      await expect(storage.addCredential({ ...orphan, ...more })).rejects.toThrow();
      expect(await storage.credentials(key.ownerId)).toHaveLength(1);
      expect(await call(storage, { ...key, secretHash: 'new' })).toBe('unknown');
    });

    it('lists newest first, revoked ones too', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const more = { ownerId, kind: 'pat', name: 'n', modes: DIRECT, expiresAt: at(DAY_MS) } as const;
      for (const n of [1, 2, 3]) {
        await storage.addCredential({ ...more, credentialId: `key_${n}`, secretHash: `h${n}`, now: at(n) });
      }
      await storage.revoke({ ownerId, credentialId: 'key_2', now: at(9) });
      const listed = await storage.credentials(ownerId);
      expect(listed.map(({ credentialId }) => credentialId)).toEqual(['key_3', 'key_2', 'key_1']);
      expect(listed.map(({ revokedAt }) => revokedAt)).toEqual([null, at(9), null]);
    });
  });

  describe('rotate', () => {
    it('lets the secret before go on for the overlap', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const next = { ...key, secretHash: 'next' };
      const rotated = await storage.rotate({
        ...next,
        expiresAt: at(60 * DAY_MS),
        overlapMs: DAY_MS,
        now: NOON,
      });
      expect(rotated).toMatchObject({ expiresAt: at(60 * DAY_MS), overlapUntil: at(DAY_MS), revision: 1 });
      for (const one of [key, next]) expect(await call(storage, one, at(DAY_MS - 1))).toBe('admitted');
      expect(await call(storage, key, at(DAY_MS))).toBe('unknown');
      expect(await call(storage, next, at(DAY_MS))).toBe('admitted');
    });

    it('never lengthens the life of a secret', async () => {
      const { storage } = store();
      const key = await addKey(storage, await addOwner(storage), { expiresAt: at(HOUR_MS) });
      const next = { ...key, secretHash: 'next' };
      const rotated = await storage.rotate({ ...next, expiresAt: at(DAY_MS), overlapMs: DAY_MS, now: NOON });
      expect(rotated?.overlapUntil).toEqual(at(HOUR_MS));
      expect(await call(storage, key, at(HOUR_MS))).toBe('unknown');
      expect(await call(storage, next, at(HOUR_MS))).toBe('admitted');
    });

    it('may come again within the overlap: every secret before ends with the newest overlap', async () => {
      const { storage } = store();
      const first = await addOwnerAndKey(storage);
      const [second, third] = [
        { ...first, secretHash: 'second' },
        { ...first, secretHash: 'third' },
      ];
      await storage.rotate({ ...second, expiresAt: at(9 * DAY_MS), overlapMs: DAY_MS, now: NOON });
      const now = at(HOUR_MS);
      const rotated = await storage.rotate({ ...third, expiresAt: at(9 * DAY_MS), overlapMs: HOUR_MS, now });
      expect(rotated?.overlapUntil).toEqual(at(2 * HOUR_MS));
      for (const one of [first, second, third]) expect(await call(storage, one, now)).toBe('admitted');
      for (const one of [first, second]) expect(await call(storage, one, at(2 * HOUR_MS))).toBe('unknown');
      expect(await call(storage, third, at(2 * HOUR_MS))).toBe('admitted');
    });

    it('says in the list whether an overlap is still on', async () => {
      const { storage } = store();
      const now = new Date();
      const inMs = (ms: number) => new Date(now.getTime() + ms);
      const key = await addKey(storage, await addOwner(storage), { expiresAt: inMs(90 * DAY_MS) });
      const rotate = (secretHash: string, overlapMs: number) =>
        storage.rotate({ ...key, secretHash, expiresAt: inMs(90 * DAY_MS), overlapMs, now });
      await rotate('second', HOUR_MS);
      expect(await storage.credentials(key.ownerId)).toMatchObject([{ overlapUntil: inMs(HOUR_MS) }]);
      await rotate('third', 0);
      expect(await storage.credentials(key.ownerId)).toMatchObject([{ overlapUntil: null }]);
    });

    it('is for live credentials', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const expired = await addKey(storage, ownerId, { expiresAt: NOON });
      const revoked = await addKey(storage, ownerId);
      await storage.revoke({ ...revoked, now: NOON });
      for (const key of [expired, revoked, { ownerId, credentialId: 'key_none' }]) {
        const secretHash = `next of ${key.credentialId}`;
        const request = { ...key, secretHash, expiresAt: at(DAY_MS), overlapMs: DAY_MS, now: NOON };
        expect(await storage.rotate(request)).toBeUndefined();
        expect(await call(storage, { ...key, secretHash })).toBe('unknown');
      }
    });

    it('keeps a credential on for as long as one of its secrets lives', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const brief = { ...key, secretHash: 'brief', expiresAt: at(HOUR_MS), overlapMs: DAY_MS, now: NOON };
      await storage.rotate(brief);
      const approval = await run(storage, key, { now: at(2 * HOUR_MS) });
      expect(await start(storage, approval, at(2 * HOUR_MS))).toBe(true);
    });
  });

  describe('revoke', () => {
    it('switches the credential off and cancels what waits, untold, and nothing else', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const waiting = [await ask(storage, key), await ask(storage, key)];
      const approved = (await approve(storage, await ask(storage, key))).approval;
      const elsewhere = await ask(storage, other);
      expect(await storage.revoke({ ...key, now: at(5) })).toMatchObject({ revokedAt: at(5) });
      for (const approval of waiting) {
        expect(await storage.approval(key.ownerId, approval.id)).toMatchObject({
          state: 'cancelled',
          error: 'credential_off',
          endedAt: at(5),
        });
        expect(await told(storage, approval)).toEqual([]);
      }
      for (const approval of [approved, elsewhere]) {
        expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
      }
      expect(await call(storage, other)).toBe('admitted');
      // Once is enough.
      expect(await storage.revoke({ ...key, now: at(6) })).toMatchObject({ revokedAt: at(5) });
      expect(await storage.revoke({ ...key, credentialId: 'key_none', now: NOON })).toBeUndefined();
    });

    it('finds the credential by any of its live secrets', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key);
      const next = { ...key, secretHash: 'next', expiresAt: at(9 * DAY_MS), overlapMs: DAY_MS, now: NOON };
      await storage.rotate(next);
      expect(await storage.revokeBySecret('never given', NOON)).toBe(false);
      expect(await storage.revokeBySecret(key.secretHash, at(DAY_MS))).toBe(false);
      expect(await call(storage, next)).toBe('admitted');
      expect(await storage.revokeBySecret(key.secretHash, at(DAY_MS - 1))).toBe(true);
      for (const one of [key, next]) expect(await call(storage, one)).toBe('unknown');
      expect((await storage.approval(key.ownerId, waiting.id))?.error).toBe('credential_off');
      expect(await storage.revokeBySecret('next', NOON)).toBe(false);
    });
  });

  describe('setModes', () => {
    it('raises the revision, and cancels what waits in groups that are now off', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const send = await ask(storage, key);
      const reply = await ask(storage, key, { group: 'mail:reply', tool: 'send_reply' });
      const elsewhere = await ask(storage, other);
      const modes = { ...DIRECT, 'mail:send': 'off' } as const;
      expect(await storage.setModes({ ...key, modes, now: at(5) })).toMatchObject({ revision: 2, modes });
      expect(await storage.approval(key.ownerId, send.id)).toMatchObject({
        state: 'cancelled',
        error: 'permission_off',
        endedAt: at(5),
      });
      for (const approval of [reply, elsewhere]) {
        expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
      }
      expect(await storage.setModes({ ...key, modes: DIRECT, now: at(6) })).toMatchObject({ revision: 3 });
      expect((await storage.approval(key.ownerId, send.id))?.state).toBe('cancelled');
    });

    it('is for credentials that are not revoked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      expect(
        await storage.setModes({ ...key, credentialId: 'key_none', modes: DIRECT, now: NOON }),
      ).toBeUndefined();
      const revoked = await storage.revoke({ ...key, now: NOON });
      expect(await storage.setModes({ ...key, modes: PRESETS.read.modes, now: NOON })).toBeUndefined();
      expect(await storage.credentials(key.ownerId)).toEqual([revoked]);
    });
  });
}

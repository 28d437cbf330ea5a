import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_FENCES, REACHES_NOTHING } from '../../../core/keys/fences.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import type { Store } from '../storage.ts';
import {
  addKey,
  addOwner,
  addOwnerAndKey,
  admitted,
  approve,
  ask,
  at,
  call,
  DIRECT,
  filing,
  LEASE_MS,
  NOON,
  reject,
  run,
  SIGNER,
  start,
  webhookStates,
} from './scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function credentialPromises(store: Store): void {
  describe('addCredential', () => {
    it('returns what it added', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const added = await storage.addCredential({
        signer: SIGNER,
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
        fences: NO_FENCES,
        pausedAt: null,
        revision: 1,
        createdAt: NOON,
        expiresAt: at(90 * DAY_MS),
        overlapUntil: null,
        revokedAt: null,
        isAltered: false,
      });
      expect(await storage.credentials(ownerId, SIGNER)).toEqual([added]);
    });

    it('rejects an invalid secret, id or owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const more = { kind: 'pat', name: 'n', modes: DIRECT, expiresAt: at(DAY_MS), now: NOON } as const;
      const again = { signer: SIGNER, ...key, ...more, secretHash: 'new' };
      expect(await storage.addCredential(again)).toBeUndefined();
      await expect(
        storage.addCredential({ signer: SIGNER, ...key, ...more, credentialId: 'key_new' }),
      ).rejects.toThrow();
      const orphan = { ownerId: 'nobody', credentialId: 'key_new', secretHash: 'new' };
      await expect(storage.addCredential({ signer: SIGNER, ...orphan, ...more })).rejects.toThrow();
      expect(await storage.credentials(key.ownerId, SIGNER)).toHaveLength(1);
      expect(await call(storage, { ...key, secretHash: 'new' })).toBe('unknown');
    });

    it('lists newest first, including revoked ones', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const more = { ownerId, kind: 'pat', name: 'n', modes: DIRECT, expiresAt: at(DAY_MS) } as const;
      for (const n of [1, 2, 3]) {
        await storage.addCredential({
          signer: SIGNER,
          ...more,
          credentialId: `key_${n}`,
          secretHash: `h${n}`,
          now: at(n),
        });
      }
      await storage.revoke({ signer: SIGNER, ownerId, credentialId: 'key_2', now: at(9) });
      const listed = await storage.credentials(ownerId, SIGNER);
      expect(listed.map(({ credentialId }) => credentialId)).toEqual(['key_3', 'key_2', 'key_1']);
      expect(listed.map(({ revokedAt }) => revokedAt)).toEqual([null, at(9), null]);
    });
  });

  describe('a key that somebody else signed', () => {
    const stranger = createKeyring([Buffer.alloc(32, 8)], randomBytes);

    it('is refused by every verb that judges it', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const [waiting, running] = [await ask(storage, key), await run(storage, key)];
      const { ownerId, credentialId } = key;
      const judged = { signer: stranger, now: NOON };
      expect(
        await storage.admit({ ...judged, secretHash: key.secretHash, slotId: 's', leaseMs: LEASE_MS }),
      ).toEqual({ kind: 'altered', credentialId });
      expect(await storage.file(filing(key, { signer: stranger }))).toMatchObject({
        kind: 'refuse',
        error: { code: 'invalid_token' },
      });
      const decision = { type: 'approve', digest: waiting.digest, reach: REACHES_NOTHING } as const;
      const approving = { ...judged, ownerId, approvalId: waiting.id, decision, leaseMs: LEASE_MS };
      expect(await storage.decide(approving)).toMatchObject({ won: false, approval: { state: 'pending' } });
      expect(
        await storage.start({
          ...judged,
          ownerId,
          approvalId: running.id,
          fence: 1,
          reach: REACHES_NOTHING,
          relocated: [],
        }),
      ).toBe(false);
      // Nobody else could tell who approved it.
      expect(await storage.approval(ownerId, running.id)).toMatchObject({
        state: 'failed',
        error: 'altered',
      });
      const next = { secretHash: 'next', expiresAt: at(DAY_MS), overlapMs: DAY_MS };
      expect(await storage.rotate({ ...judged, ownerId, credentialId, ...next })).toBeUndefined();
      expect(await storage.setModes({ ...judged, ownerId, credentialId, modes: DIRECT })).toBeUndefined();
      expect(await storage.credentials(ownerId, stranger)).toMatchObject([{ isAltered: true }]);
      // None of that has changed it.
      expect(await call(storage, key)).toBe('admitted');
    });

    it('can be revoked, and is signed again then', async () => {
      const { storage } = store();
      const { ownerId, credentialId } = await addOwnerAndKey(storage);
      const revoke = (now: Date) => storage.revoke({ ownerId, credentialId, signer: stranger, now });
      expect(await revoke(at(1))).toMatchObject({ revokedAt: at(1) });
      expect(await storage.credentials(ownerId, stranger)).toMatchObject([{ isAltered: false }]);
      expect(await revoke(at(2))).toMatchObject({ revokedAt: at(1) });
    });
  });

  describe('credentialUse', () => {
    it('reports the last call and what waits of every credential that is not revoked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId, credentialId } = key;
      const idle = await addKey(storage, ownerId);
      const revoked = await addKey(storage, ownerId);
      await storage.revoke({ ...revoked, signer: SIGNER, now: NOON });
      await call(storage, key, at(1000));
      await call(storage, key, at(2000));
      await ask(storage, key, { targets: ['one'] });
      const decided = await ask(storage, key, { targets: ['two'] });
      // The row of a decision does not count as a call.
      await reject(storage, decided, at(3000));
      const other = await addOwnerAndKey(storage);
      await ask(storage, other);
      expect([...(await storage.credentialUse(ownerId))].toSorted()).toEqual(
        [
          [credentialId, { lastCallAt: at(2000), waiting: 1 }],
          [idle.credentialId, { lastCallAt: null, waiting: 0 }],
        ].toSorted(),
      );
    });
  });

  describe('rotate', () => {
    it('rotates a key once if both requests saw the same key', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const seenExpiresAt = (await storage.credentials(key.ownerId, SIGNER))[0]?.expiresAt;
      const rotate = (secretHash: string) =>
        storage.rotate({
          ...{ ...key, secretHash, expiresAt: at(60 * DAY_MS), overlapMs: DAY_MS, seenExpiresAt },
          ...{ signer: SIGNER, now: NOON },
        });
      const [one, other] = await Promise.all([rotate('one'), rotate('other')]);
      expect([one, other].filter((rotated) => rotated !== undefined)).toHaveLength(1);
      expect(await call(storage, { ...key, secretHash: one === undefined ? 'one' : 'other' })).toBe(
        'unknown',
      );
      expect(await call(storage, { ...key, secretHash: one === undefined ? 'other' : 'one' })).toBe(
        'admitted',
      );
    });

    it('keeps the previous secret valid for the overlap', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const next = { ...key, secretHash: 'next' };
      const rotated = await storage.rotate({
        signer: SIGNER,
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
      const rotated = await storage.rotate({
        signer: SIGNER,
        ...next,
        expiresAt: at(DAY_MS),
        overlapMs: DAY_MS,
        now: NOON,
      });
      expect(rotated?.overlapUntil).toEqual(at(HOUR_MS));
      expect(await call(storage, key, at(HOUR_MS))).toBe('unknown');
      expect(await call(storage, next, at(HOUR_MS))).toBe('admitted');
    });

    it('may run again within the overlap: every earlier secret ends with the newest overlap', async () => {
      const { storage } = store();
      const first = await addOwnerAndKey(storage);
      const [second, third] = [
        { ...first, secretHash: 'second' },
        { ...first, secretHash: 'third' },
      ];
      await storage.rotate({
        signer: SIGNER,
        ...second,
        expiresAt: at(9 * DAY_MS),
        overlapMs: DAY_MS,
        now: NOON,
      });
      const now = at(HOUR_MS);
      const rotated = await storage.rotate({
        signer: SIGNER,
        ...third,
        expiresAt: at(9 * DAY_MS),
        overlapMs: HOUR_MS,
        now,
      });
      expect(rotated?.overlapUntil).toEqual(at(2 * HOUR_MS));
      for (const one of [first, second, third]) expect(await call(storage, one, now)).toBe('admitted');
      for (const one of [first, second]) expect(await call(storage, one, at(2 * HOUR_MS))).toBe('unknown');
      expect(await call(storage, third, at(2 * HOUR_MS))).toBe('admitted');
    });

    it('shows in the list whether an overlap is still running', async () => {
      const { storage } = store();
      const now = new Date();
      const inMs = (ms: number) => new Date(now.getTime() + ms);
      const key = await addKey(storage, await addOwner(storage), { expiresAt: inMs(90 * DAY_MS) });
      const rotate = (secretHash: string, overlapMs: number) =>
        storage.rotate({ signer: SIGNER, ...key, secretHash, expiresAt: inMs(90 * DAY_MS), overlapMs, now });
      await rotate('second', HOUR_MS);
      expect(await storage.credentials(key.ownerId, SIGNER)).toMatchObject([{ overlapUntil: inMs(HOUR_MS) }]);
      await rotate('third', 0);
      expect(await storage.credentials(key.ownerId, SIGNER)).toMatchObject([{ overlapUntil: null }]);
    });

    it('works only on live credentials', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const expired = await addKey(storage, ownerId, { expiresAt: NOON });
      const revoked = await addKey(storage, ownerId);
      await storage.revoke({ signer: SIGNER, ...revoked, now: NOON });
      for (const key of [expired, revoked, { ownerId, credentialId: 'key_none' }]) {
        const secretHash = `next of ${key.credentialId}`;
        const request = {
          ...key,
          signer: SIGNER,
          secretHash,
          expiresAt: at(DAY_MS),
          overlapMs: DAY_MS,
          now: NOON,
        };
        expect(await storage.rotate(request)).toBeUndefined();
        expect(await call(storage, { ...key, secretHash })).toBe('unknown');
      }
    });

    it('keeps a credential on while one of its secrets is valid', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const brief = {
        ...key,
        signer: SIGNER,
        secretHash: 'brief',
        expiresAt: at(HOUR_MS),
        overlapMs: DAY_MS,
        now: NOON,
      };
      await storage.rotate(brief);
      const approval = await run(storage, key, { now: at(2 * HOUR_MS) });
      expect(await start(storage, approval, at(2 * HOUR_MS))).toBe(true);
    });
  });

  describe('revoke', () => {
    it('switches the credential off and cancels its pending approvals, without webhook events, and nothing else', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const waiting = [await ask(storage, key), await ask(storage, key)];
      const approved = (await approve(storage, await ask(storage, key))).approval;
      const elsewhere = await ask(storage, other);
      expect(await storage.revoke({ signer: SIGNER, ...key, now: at(5) })).toMatchObject({
        revokedAt: at(5),
      });
      for (const approval of waiting) {
        expect(await storage.approval(key.ownerId, approval.id)).toMatchObject({
          state: 'cancelled',
          error: 'credential_off',
          endedAt: at(5),
        });
        expect(await webhookStates(storage, approval)).toEqual([]);
      }
      for (const approval of [approved, elsewhere]) {
        expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
      }
      expect(await call(storage, other)).toBe('admitted');
      // The first time counts.
      expect(await storage.revoke({ signer: SIGNER, ...key, now: at(6) })).toMatchObject({
        revokedAt: at(5),
      });
      expect(
        await storage.revoke({ signer: SIGNER, ...key, credentialId: 'key_none', now: NOON }),
      ).toBeUndefined();
    });

    it('finds the credential by any of its live secrets', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key);
      const next = {
        ...key,
        signer: SIGNER,
        secretHash: 'next',
        expiresAt: at(9 * DAY_MS),
        overlapMs: DAY_MS,
        now: NOON,
      };
      await storage.rotate(next);
      expect(await storage.revokeBySecret({ secretHash: 'never issued', signer: SIGNER, now: NOON })).toBe(
        false,
      );
      expect(
        await storage.revokeBySecret({ secretHash: key.secretHash, signer: SIGNER, now: at(DAY_MS) }),
      ).toBe(false);
      expect(await call(storage, next)).toBe('admitted');
      expect(
        await storage.revokeBySecret({ secretHash: key.secretHash, signer: SIGNER, now: at(DAY_MS - 1) }),
      ).toBe(true);
      for (const one of [key, next]) expect(await call(storage, one)).toBe('unknown');
      expect(await storage.approval(key.ownerId, waiting.id)).toMatchObject({ error: 'credential_off' });
      expect(await storage.revokeBySecret({ secretHash: 'next', signer: SIGNER, now: NOON })).toBe(false);
    });
  });

  describe('setModes', () => {
    it('raises the revision, and cancels pending approvals in groups that are now off', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const send = await ask(storage, key);
      const reply = await ask(storage, key, { group: 'mail:reply', tool: 'send_reply' });
      const elsewhere = await ask(storage, other);
      const modes = { ...DIRECT, 'mail:send': 'off' } as const;
      expect(await storage.setModes({ signer: SIGNER, ...key, modes, now: at(5) })).toMatchObject({
        revision: 2,
        modes,
      });
      expect(await storage.approval(key.ownerId, send.id)).toMatchObject({
        state: 'cancelled',
        error: 'permission_off',
        endedAt: at(5),
      });
      for (const approval of [reply, elsewhere]) {
        expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
      }
      expect(await storage.setModes({ signer: SIGNER, ...key, modes: DIRECT, now: at(6) })).toMatchObject({
        revision: 3,
      });
      expect((await storage.approval(key.ownerId, send.id))?.state).toBe('cancelled');
    });

    it('works only on credentials that are not revoked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      expect(
        await storage.setModes({
          signer: SIGNER,
          ...key,
          credentialId: 'key_none',
          modes: DIRECT,
          now: NOON,
        }),
      ).toBeUndefined();
      const revoked = await storage.revoke({ signer: SIGNER, ...key, now: NOON });
      expect(
        await storage.setModes({ signer: SIGNER, ...key, modes: PRESETS.read.modes, now: NOON }),
      ).toBeUndefined();
      expect(await storage.credentials(key.ownerId, SIGNER)).toEqual([revoked]);
    });
  });

  describe('pause, resume and setFences', () => {
    const FENCES = { accounts: [1, 3], recipients: ['atlas.example', 'a@nova.example'], until: at(DAY_MS) };

    it('are kept, and leave everything else as it was', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const [before, untouched] = [
        (await storage.credentials(key.ownerId, SIGNER)).find((one) => one.credentialId === key.credentialId),
        (await storage.credentials(key.ownerId, SIGNER)).find(
          (one) => one.credentialId === other.credentialId,
        ),
      ];
      const paused = { ...before, pausedAt: at(5) };
      expect(await storage.pause({ signer: SIGNER, ...key, now: at(5) })).toEqual(paused);
      expect(await storage.pause({ signer: SIGNER, ...key, now: at(6) })).toEqual(paused);
      const fenced = { ...paused, fences: FENCES, revision: 2 };
      expect(await storage.setFences({ signer: SIGNER, ...key, fences: FENCES, now: at(7) })).toEqual(fenced);
      const listed = await storage.credentials(key.ownerId, SIGNER);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([fenced, untouched]));
      expect((await admitted(storage, key)).credential).toEqual(fenced);
      const resumed = { ...fenced, pausedAt: null };
      expect(await storage.resume({ signer: SIGNER, ...key, now: at(8) })).toEqual(resumed);
      expect(await storage.resume({ signer: SIGNER, ...key, now: at(9) })).toEqual(resumed);
      expect(await storage.setFences({ signer: SIGNER, ...key, fences: NO_FENCES, now: at(9) })).toEqual({
        ...before,
        revision: 3,
      });
    });

    it('keep requests waiting, and judge what the owner approves', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const [inside, outside] = [await ask(storage, key), await ask(storage, key)];
      await storage.pause({ signer: SIGNER, ...key, now: at(1) });
      await storage.setFences({ signer: SIGNER, ...key, fences: FENCES, now: at(1) });
      const decide = (approval: typeof inside, people: string[]) => {
        const reach = { accountIds: [1], people };
        const decision = { type: 'approve', digest: approval.digest, reach } as const;
        const request = { ownerId, approvalId: approval.id, decision, leaseMs: LEASE_MS };
        return storage.decide({ ...request, signer: SIGNER, now: at(2) });
      };
      expect(await decide(outside, ['x@atlas.example', 'b@nova.example'])).toMatchObject({
        won: false,
        approval: { state: 'pending' },
      });
      const approved = await decide(inside, ['x@atlas.example']);
      expect(approved).toMatchObject({ won: true, approval: { state: 'approved' } });
      if (approved !== undefined) expect(await start(storage, approved.approval)).toBe(true);
    });

    it('refuse a new request', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const reach = { accountIds: [1], people: ['b@nova.example'] };
      await storage.setFences({ signer: SIGNER, ...key, fences: FENCES, now: NOON });
      const refusal = async () => {
        const filed = await storage.file(filing(key, { reach }));
        return filed.kind === 'refuse' ? filed.error : filed.kind;
      };
      expect(await refusal()).toMatchObject({
        code: 'not_permitted',
        details: { group: 'mail:send', reason: 'fence', field: '' },
      });
      await storage.pause({ signer: SIGNER, ...key, now: NOON });
      expect(await refusal()).toMatchObject({
        code: 'not_permitted',
        details: { group: 'mail:send', reason: 'paused' },
      });
      await storage.resume({ signer: SIGNER, ...key, now: NOON });
      await storage.setFences({ signer: SIGNER, ...key, fences: NO_FENCES, now: NOON });
      expect(await refusal()).toBe('run');
    });

    it('work only on credentials that exist and are not revoked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const stranger = await addOwnerAndKey(storage);
      const tries = [
        { ...key, credentialId: 'key_none' },
        { ...key, ownerId: stranger.ownerId },
      ];
      const revoked = await storage.revoke({ signer: SIGNER, ...key, now: NOON });
      for (const one of [...tries, key]) {
        const request = { ...one, signer: SIGNER, now: NOON };
        expect(await storage.pause(request)).toBeUndefined();
        expect(await storage.resume(request)).toBeUndefined();
        expect(await storage.setFences({ ...request, fences: FENCES })).toBeUndefined();
      }
      expect(await storage.credentials(key.ownerId, SIGNER)).toEqual([revoked]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../core/approvals/filing-storage.ts';
import { PLAN_LIMITS } from '../../../core/keys/limits.ts';
import { type Plan, PRESETS } from '../../../core/keys/permissions.ts';
import type { Store } from '../storage.ts';
import {
  addKey,
  addOwner,
  addOwnerAndKey,
  approve,
  ask,
  at,
  DIRECT,
  editedPlan,
  execute,
  filing,
  HELD,
  LEASE_MS,
  NOON,
  REFUSED,
  ROOMY,
  reject,
  run,
  SIGNER,
  settle,
  start,
} from './scene.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PLANS: readonly Plan[] = ['free', 'paid'];
const TARGETED = { holds: ['several'], sends: false, repeatable: false, targeted: true };

export function filingPromises(store: Store): void {
  describe('file', () => {
    it('creates a pending approval, with its plan and its gist', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const request = filing(key, { call: HELD, now: at(7) });
      const filed = await storage.file(request);
      expect(filed).toEqual({
        kind: 'ask',
        approval: {
          ownerId: key.ownerId,
          id: request.approvalId,
          credentialId: key.credentialId,
          accountId: 1,
          tool: 'send_email',
          group: 'mail:send',
          action: 'send',
          state: 'pending',
          reasons: ['first_time_recipient'],
          createdAt: at(7),
          expiresAt: at(7 + DAY_MS),
          digest: request.digest,
          fence: 0,
        },
      });
      if (filed.kind !== 'ask') throw new Error(filed.kind);
      expect(await storage.approval(key.ownerId, request.approvalId)).toEqual(filed.approval);
      expect(await storage.plan(key.ownerId, request.approvalId)).toBe(request.sealedPlan);
      expect(await storage.gists(key.ownerId, [request.approvalId])).toEqual(
        new Map([[request.approvalId, request.sealedGist]]),
      );
      expect(await storage.events({ ownerId: key.ownerId, afterId: 0, limit: 10 })).toEqual([]);
    });

    it('creates an approval that policy approved, leased to the caller', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const before = Date.now();
      const approval = await run(storage, key);
      expect(approval).toMatchObject({
        state: 'approved',
        authorization: { by: 'policy', at: NOON },
        reasons: [],
        fence: 1,
      });
      // The store's clock may differ from this machine's, but only a little.
      expect(Math.abs(Number(approval.leaseUntilMs) - before - LEASE_MS)).toBeLessThan(10_000);
      expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
      expect(await storage.events({ ownerId: key.ownerId, afterId: 0, limit: 10 })).toEqual([]);
    });

    it('reads credential, mode and plan again', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const now = NOON;
      expect(await storage.file(filing(key))).toMatchObject({ kind: 'run' });
      await storage.setModes({ signer: SIGNER, ...key, modes: { ...DIRECT, 'mail:send': 'approval' }, now });
      expect(await storage.file(filing(key))).toMatchObject({
        kind: 'ask',
        approval: { reasons: ['mode_approval'] },
      });
      await storage.setModes({ signer: SIGNER, ...key, modes: { ...DIRECT, 'mail:send': 'off' }, now });
      expect(await storage.file(filing(key))).toMatchObject({
        kind: 'refuse',
        error: { code: 'not_permitted', details: { group: 'mail:send' } },
      });
      await storage.setModes({ signer: SIGNER, ...key, modes: DIRECT, now });
      await storage.revoke({ signer: SIGNER, ...key, now });
      expect(await storage.file(filing(key))).toMatchObject({
        kind: 'refuse',
        error: { code: 'invalid_token' },
      });
      const expired = await addKey(storage, key.ownerId, { expiresAt: at(1) });
      expect(await storage.file(filing(expired, { now: at(1) }))).toMatchObject({
        error: { code: 'invalid_token' },
      });
      const free = await addKey(storage, await addOwner(storage, { plan: 'free' }));
      expect(await storage.file(filing(free))).toMatchObject({ kind: 'ask' });
    });

    it('returns the pending approval for the same request, of the same key only', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { requestHash: 'same' });
      expect(await storage.file(filing(key, { requestHash: 'same' }))).toEqual({
        kind: 'existing',
        approval: waiting,
      });
      const other = await addKey(storage, key.ownerId);
      expect(await storage.file(filing(other, { requestHash: 'same' }))).toMatchObject({ kind: 'run' });
      // It has expired, whether or not anyone has recorded that.
      const late = { requestHash: 'same', now: at(DAY_MS) };
      expect(await storage.file(filing(key, { ...late, call: HELD }))).toMatchObject({ kind: 'ask' });
    });

    it('returns what is running, or had an unknown outcome in the last 24 hours, for the same request', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const running = await run(storage, key, { requestHash: 'same' });
      const again = (now: Date) => storage.file(filing(key, { requestHash: 'same', now }));
      expect(await again(NOON)).toEqual({ kind: 'existing', approval: running });
      await start(storage, running);
      const lost = await settle(storage, running, { type: 'lose' }, { now: at(MINUTE_MS) });
      expect(await again(at(DAY_MS + MINUTE_MS - 1))).toEqual({ kind: 'existing', approval: lost });
      expect(await again(at(DAY_MS + MINUTE_MS))).toMatchObject({ kind: 'run' });
    });

    it('returns a request that was filed long ago and has only now been approved', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { requestHash: 'same' });
      const late = at(DAY_MS - 1);
      const { approval } = await approve(storage, waiting, { now: late });
      const again = filing(key, { requestHash: 'same', now: at(DAY_MS + MINUTE_MS) });
      expect(await storage.file(again)).toEqual({ kind: 'existing', approval });
    });

    it('refuses for an hour what the owner rejected, to every key of the owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await reject(storage, await ask(storage, key, { requestHash: 'same' }), at(MINUTE_MS));
      const other = await addKey(storage, key.ownerId);
      const resets = at(MINUTE_MS + HOUR_MS);
      for (const one of [key, other]) {
        const refused = await storage.file(
          filing(one, { requestHash: 'same', now: new Date(resets.getTime() - 1) }),
        );
        expect(refused).toMatchObject({
          kind: 'refuse',
          error: { code: 'previously_rejected', details: { resets_at: resets.toISOString() } },
        });
      }
      const stranger = await addOwnerAndKey(storage);
      expect(await storage.file(filing(stranger, { requestHash: 'same' }))).toMatchObject({ kind: 'run' });
      expect(await storage.file(filing(other, { requestHash: 'same', now: resets }))).toMatchObject({
        kind: 'run',
      });
    });

    it('refuses for an hour what is similar to what the owner rejected, to every key of the owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = { requestHash: 'one wording', similarHash: 'similar' };
      await reject(storage, await ask(storage, key, first), at(MINUTE_MS));
      const again = { requestHash: 'another wording', similarHash: 'similar' };
      const resets = at(MINUTE_MS + HOUR_MS);
      for (const one of [key, await addKey(storage, key.ownerId)]) {
        const now = new Date(resets.getTime() - 1);
        expect(await storage.file(filing(one, { ...again, now }))).toMatchObject({
          kind: 'refuse',
          error: { code: 'previously_rejected', details: { resets_at: resets.toISOString() } },
        });
      }
      const stranger = await addOwnerAndKey(storage);
      expect(await storage.file(filing(stranger, again))).toMatchObject({ kind: 'run' });
      expect(await storage.file(filing(key, { ...again, now: resets }))).toMatchObject({ kind: 'run' });
    });

    it('treats only the same request as the same, unless the owner rejected it', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const similar = (requestHash: string) => ({ requestHash, similarHash: 'similar' });
      await ask(storage, key, similar('waiting'));
      await execute(storage, key, similar('executed'));
      await run(storage, key, similar('running'));
      expect(await storage.file(filing(key, similar('new')))).toMatchObject({ kind: 'run' });
    });

    it('allows one pending request of a key per target', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { targets: ['a', 'b'], call: TARGETED });
      const clash = { error: { code: 'pending_exists_for_target', details: { approval_id: waiting.id } } };
      const next = (targets: readonly string[], changes: Partial<Filing> = {}) =>
        storage.file(filing(key, { targets, call: TARGETED, ...changes }));
      expect(await next(['c', 'b'])).toMatchObject(clash);
      expect(await next(['c'])).toMatchObject({ kind: 'ask' });
      const other = await addKey(storage, key.ownerId);
      expect(await storage.file(filing(other, { targets: ['a'], call: TARGETED }))).toMatchObject({
        kind: 'ask',
      });
      expect(await next(['a'], { now: at(DAY_MS) })).toMatchObject({ kind: 'ask' });
      await storage.cancel({ ...key, approvalId: waiting.id, now: NOON });
      expect(await next(['b'])).toMatchObject({ kind: 'ask' });
    });

    it('refuses the same request on a target with a pending one', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const same = { requestHash: 'same', targets: ['a'], call: TARGETED };
      const waiting = await ask(storage, key, same);
      expect(await storage.file(filing(key, same))).toMatchObject({
        error: { code: 'pending_exists_for_target', details: { approval_id: waiting.id } },
      });
    });

    it('holds a likely repeat: executed in the last hour, by any key of the owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await execute(storage, key, { requestHash: 'same' });
      const other = await addKey(storage, key.ownerId);
      const repeat = { kind: 'ask', approval: { reasons: ['likely_repeat'] } };
      const again = (now: Date) => storage.file(filing(other, { requestHash: 'same', now }));
      expect(await again(at(HOUR_MS - 1))).toMatchObject(repeat);
      await storage.setModes({ signer: SIGNER, ...other, modes: PRESETS.read.modes, now: NOON });
      await storage.setModes({ signer: SIGNER, ...other, modes: DIRECT, now: NOON });
      expect(await again(at(HOUR_MS))).toMatchObject({ kind: 'run' });
    });

    it("holds a likely repeat: another key's is running, or its outcome is unknown", async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const running = await run(storage, key, { requestHash: 'same' });
      const repeat = { kind: 'ask', approval: { reasons: ['likely_repeat'] } };
      const [second, third] = [await addKey(storage, key.ownerId), await addKey(storage, key.ownerId)];
      expect(await storage.file(filing(second, { requestHash: 'same' }))).toMatchObject(repeat);
      await start(storage, running);
      await settle(storage, running, { type: 'lose' });
      const much = at(DAY_MS - 1);
      expect(await storage.file(filing(third, { requestHash: 'same', now: much }))).toMatchObject(repeat);
    });

    it('tells a repeat: executed, running or of unknown outcome, by any key of the owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const isRepeat = (requestHash: string, changes = {}) =>
        storage.isRepeat({ ownerId, requestHash, now: NOON, ...changes });
      await execute(storage, key, { requestHash: 'executed' });
      const lost = await run(storage, key, { requestHash: 'lost' });
      await start(storage, lost);
      await settle(storage, lost, { type: 'lose' });
      await run(storage, key, { requestHash: 'running' });
      await ask(storage, key, { requestHash: 'waiting', call: HELD });
      const changed = await ask(storage, key, { requestHash: 'asked', call: HELD });
      await approve(storage, changed, { edited: editedPlan() });
      const hashes = [
        'executed',
        'lost',
        'running',
        'asked',
        editedPlan().edit.requestHash,
        'waiting',
        'none',
      ];
      expect(await Promise.all(hashes.map((hash) => isRepeat(hash)))).toEqual([
        ...[true, true, true, true, true],
        ...[false, false],
      ]);
      const isRepeatAt = (requestHash: string, ms: number) => isRepeat(requestHash, { now: at(ms) });
      expect(await isRepeatAt('executed', HOUR_MS - 1)).toBe(true);
      expect(await isRepeatAt('executed', HOUR_MS)).toBe(false);
      expect(await isRepeatAt('lost', DAY_MS - 1)).toBe(true);
      expect(await isRepeatAt('lost', DAY_MS)).toBe(false);
      expect(await isRepeatAt('running', 9 * DAY_MS)).toBe(true);
      const { ownerId: stranger } = await addOwnerAndKey(storage);
      expect(await isRepeat('executed', { ownerId: stranger })).toBe(false);
    });

    it('runs as many sends as the send limit allows, in ten minutes and in a day', async () => {
      const { storage, passTime } = store();
      const limits = { ...ROOMY, directSendsPer10Min: 2, directSendsPerDay: 3 };
      const ownerId = await addOwner(storage, { limits });
      const key = await addKey(storage, ownerId);
      const held = { kind: 'ask', approval: { reasons: ['send_limit'] } };
      const send = (now: Date, one = key) => storage.file(filing(one, { now }));
      expect(await send(NOON)).toMatchObject({ kind: 'run' });
      // A failed send was not sent, and other actions do not count.
      await settle(storage, await run(storage, key), REFUSED);
      await run(storage, key, { call: { ...HELD, holds: [], sends: false } });
      expect(await send(at(1))).toMatchObject({ kind: 'run' });
      expect(await send(at(2))).toMatchObject(held);
      expect(await send(at(2), await addKey(storage, ownerId))).toMatchObject({ kind: 'run' });
      // Only the store's clock counts: a host that is ahead, or a day behind, runs no more than the others.
      expect(await send(at(10 * MINUTE_MS))).toMatchObject(held);
      expect(await send(at(-DAY_MS))).toMatchObject(held);
      await passTime(10 * MINUTE_MS);
      expect(await send(NOON)).toMatchObject({ kind: 'run' });
      await passTime(HOUR_MS);
      expect(await send(NOON)).toMatchObject(held);
      await passTime(DAY_MS - HOUR_MS);
      expect(await send(NOON)).toMatchObject({ kind: 'run' });
      expect(await send(NOON)).toMatchObject({ kind: 'run' });
      expect(await send(NOON)).toMatchObject(held);
    });

    it.each(PLANS)(
      'allows as many pending requests of a key as the %s plan says, and not one more',
      async (plan) => {
        const { storage } = store();
        const key = await addKey(storage, await addOwner(storage, { plan, limits: {} }));
        const waiting = [];
        for (let n = 0; n < PLAN_LIMITS[plan].waitingPerKey; n++) waiting.push(await ask(storage, key));
        expect(await storage.file(filing(key, { call: HELD }))).toMatchObject({
          error: { code: 'too_many_pending' },
        });
        const [first] = waiting;
        if (first === undefined) throw new Error('nothing is pending');
        await storage.cancel({ ...key, approvalId: first.id, now: NOON });
        await ask(storage, key);
        expect(await storage.file(filing(key, { call: HELD }))).toMatchObject({
          error: { code: 'too_many_pending' },
        });
        // Expired requests are not pending, recorded or not.
        await ask(storage, key, { now: at(DAY_MS) });
      },
    );

    it.each(PLANS)(
      'allows as many pending requests of an owner as the %s plan says, and not one more',
      async (plan) => {
        const { storage } = store();
        const ownerId = await addOwner(storage, { plan, limits: { waitingPerKey: 1 } });
        const { waitingPerOwner } = PLAN_LIMITS[plan];
        for (let n = 0; n < waitingPerOwner; n++) await ask(storage, await addKey(storage, ownerId));
        const next = filing(await addKey(storage, ownerId), { call: HELD });
        expect(await storage.file(next)).toMatchObject({ error: { code: 'too_many_pending' } });
      },
    );

    it.each(PLANS)(
      'accepts as many requests of a key in a day as the %s plan says, and not one more',
      async (plan) => {
        const { storage, passTime } = store();
        // An hour before midnight UTC on the store's clock.
        await passTime(DAY_MS - (Date.now() % DAY_MS) - HOUR_MS);
        const limits = { waitingPerKey: 1000, waitingPerOwner: 1000 };
        const ownerId = await addOwner(storage, { plan, limits });
        const key = await addKey(storage, ownerId);
        const { filedPerDay } = PLAN_LIMITS[plan];
        await ask(storage, key);
        await passTime(HOUR_MS);
        for (let n = 0; n < filedPerDay; n++) {
          const { id } = await ask(storage, key);
          await storage.cancel({ ...key, approvalId: id, now: NOON });
        }
        const resets_at: unknown = expect.stringMatching(/T00:00:00\.000Z$/);
        const over = { error: { code: 'quota_exceeded', details: { resets_at } } };
        expect(await storage.file(filing(key, { call: HELD }))).toMatchObject(over);
        await ask(storage, await addKey(storage, ownerId));
        await passTime(DAY_MS);
        await ask(storage, key);
      },
    );

    it('does not count as filed what ran by policy', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage, { limits: { ...ROOMY, filedPerDay: 1 } });
      const key = await addKey(storage, ownerId);
      for (let n = 0; n < 3; n++) await run(storage, key);
      await ask(storage, key);
      expect(await storage.file(filing(key, { call: HELD }))).toMatchObject({
        error: { code: 'quota_exceeded' },
      });
      await run(storage, key);
    });
  });
}

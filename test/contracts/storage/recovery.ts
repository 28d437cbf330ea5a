import { describe, expect, it } from 'vitest';
import { decisionOf, errorOf } from '../../../core/approvals/approval.ts';
import type { AnyApproval } from '../any-approval.ts';
import type { Store } from '../storage.ts';
import {
  activity,
  activityOutcomes,
  addOwnerAndKey,
  admitted,
  approve,
  ask,
  at,
  DONE,
  erasing,
  execute,
  finish,
  LAPSED_MS,
  LEASE_MS,
  LOST,
  NOON,
  reclaim,
  reject,
  run,
  SIGNER,
  settle,
  start,
  webhookStates,
} from './scene.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function recoveryPromises(store: Store): void {
  describe('reclaim', () => {
    it('leaves alone what is leased, and what this process runs', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await run(storage, key);
      const own = await run(storage, key, { leaseMs: LAPSED_MS });
      await start(storage, own);
      expect(await reclaim(storage, { running: new Set([own.id]) })).toEqual({ runs: [], followUps: [] });
      expect(await storage.approval(key.ownerId, own.id)).toMatchObject({
        fence: own.fence,
        leaseUntilMs: own.leaseUntilMs,
      });
    });

    it('takes over one run, and one follow-up, of every owner before a second one of any owner', async () => {
      const { storage } = store();
      const busy = await addOwnerAndKey(storage);
      const other = await addOwnerAndKey(storage);
      const lapsed = { leaseMs: LAPSED_MS };
      for (const key of [busy, busy, busy, other]) {
        await approve(storage, await ask(storage, key), lapsed);
        await execute(storage, key, {}, { followUp: true, ...lapsed });
      }
      const owners = (found: readonly { approval: { ownerId: string } }[]) =>
        new Set(found.map(({ approval }) => approval.ownerId));
      const both = new Set([busy.ownerId, other.ownerId]);
      expect(owners((await reclaim(storage, { limit: 2 })).runs)).toEqual(both);
      await reclaim(storage, { limit: 2 });
      expect(owners((await reclaim(storage, { limit: 2 })).followUps)).toEqual(both);
    });

    it('takes over what the owner approved and nobody started, with its plan, a new fence and a new lease', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { sealedPlan: 'the plan' });
      const { approval } = await approve(storage, waiting, { leaseMs: LAPSED_MS });
      const { runs } = await reclaim(storage, { now: at(15 * MINUTE_MS - 1) });
      expect(runs).toEqual([
        {
          approval: { ...approval, fence: 2, leaseUntilMs: expect.any(Number) as number },
          sealedPlan: 'the plan',
        },
      ]);
      expect(await storage.approval(key.ownerId, approval.id)).toEqual(runs[0]?.approval);
      expect((await reclaim(storage)).runs).toEqual([]);
    });

    it('fails what the owner approved 15 minutes ago and nobody started', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { approval } = await approve(storage, await ask(storage, key), { leaseMs: LAPSED_MS });
      expect((await reclaim(storage, { now: at(15 * MINUTE_MS) })).runs).toEqual([]);
      expect(await storage.approval(key.ownerId, approval.id)).toMatchObject({
        state: 'failed',
        error: 'not_started_in_time',
        endedAt: at(15 * MINUTE_MS),
      });
      expect(await webhookStates(storage, approval)).toEqual(['approved', 'failed']);
      expect(await activityOutcomes(storage, approval)).toEqual(['decision approved', 'settlement failed']);
    });

    it('fails what policy approved and nobody started', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await run(storage, key, { leaseMs: LAPSED_MS });
      expect((await reclaim(storage)).runs).toEqual([]);
      expect(await storage.approval(key.ownerId, approval.id)).toMatchObject({
        state: 'failed',
        error: 'interrupted',
      });
      expect(await webhookStates(storage, approval)).toEqual(['failed']);
    });

    it('takes over what was started, however long ago, as often as leases lapse', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await run(storage, key, { leaseMs: LAPSED_MS });
      await start(storage, approval);
      for (const fence of [2, 3, 4]) {
        const { runs } = await reclaim(storage, { now: at(3 * DAY_MS), leaseMs: LAPSED_MS });
        expect(runs.map((taken) => taken.approval)).toMatchObject([
          { state: 'approved', startedAt: NOON, fence },
        ]);
      }
    });

    it('respects renewed leases', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lapsed = await run(storage, key, { leaseMs: LAPSED_MS });
      await start(storage, lapsed);
      const held = (fence: number) => ({ ownerId: key.ownerId, approval: { id: lapsed.id, fence } });
      await storage.renew(held(1), LEASE_MS);
      expect((await reclaim(storage)).runs).toEqual([]);
      await storage.renew(held(1), LAPSED_MS);
      expect((await reclaim(storage)).runs).toHaveLength(1);
      // The fence is lost, so this run cannot shorten the lease.
      await storage.renew(held(1), LAPSED_MS);
      expect((await reclaim(storage)).runs).toEqual([]);
      // A terminal approval has no lease.
      const settled = await settle(storage, { ...lapsed, fence: 2 }, LOST);
      await storage.renew(held(2), LEASE_MS);
      expect(await storage.approval(key.ownerId, lapsed.id)).toEqual(settled);
    });

    it('takes the oldest first, up to the given limit', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const approval = await run(storage, key, { leaseMs: n - 100_000 });
        await start(storage, approval);
        ids.push(approval.id);
      }
      const taken: string[] = [];
      for (const many of [2, 2, 1]) {
        const { runs } = await reclaim(storage, { limit: 2 });
        expect(runs).toHaveLength(many);
        taken.push(...runs.map(({ approval }) => approval.id));
      }
      expect(taken).toEqual(ids);
    });
  });

  describe('follow-ups', () => {
    it('is leased to the process that settles, and due once that lease has expired, until it is done', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const leased = await execute(storage, key, {}, { followUp: true });
      const lapsed = await execute(storage, key, { sealedPlan: 'p' }, { followUp: true, leaseMs: LAPSED_MS });
      const none = await execute(storage, key);
      expect(await reclaim(storage, { running: new Set([lapsed.id]) })).toEqual({ runs: [], followUps: [] });
      const { runs, followUps } = await reclaim(storage);
      expect(runs).toEqual([]);
      expect(followUps).toEqual([{ approval: lapsed, sealedPlan: 'p' }]);
      expect((await reclaim(storage)).followUps).toEqual([]);
      for (const { ownerId, id } of [leased, lapsed, none]) {
        await storage.renew({ ownerId, followUp: id }, LAPSED_MS);
      }
      const due = (await reclaim(storage, { leaseMs: LAPSED_MS })).followUps;
      expect(new Set(due.map(({ approval }) => approval.id))).toEqual(new Set([leased.id, lapsed.id]));
      await storage.followedUp({ ownerId: key.ownerId, approvalId: lapsed.id });
      expect((await reclaim(storage)).followUps.map(({ approval }) => approval.id)).toEqual([leased.id]);
    });

    it('is due again after a wait', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId, id } = await execute(storage, key, {}, { followUp: true, leaseMs: LAPSED_MS });
      const later = { ownerId, approvalId: id, error: null };
      await storage.followUpLater({ ...later, retryMs: LEASE_MS });
      expect((await reclaim(storage)).followUps).toEqual([]);
      await storage.followUpLater({ ...later, retryMs: LAPSED_MS });
      expect((await reclaim(storage)).followUps).toHaveLength(1);
    });

    it('says what the server refuses until that is done', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId, id, ...rest } = await execute(
        storage,
        key,
        {},
        { followUp: true, leaseMs: LAPSED_MS },
      );
      const errorNow = async () => {
        const approval: AnyApproval | undefined = await storage.approval(ownerId, id);
        return approval?.error;
      };
      const of = { ownerId, approvalId: id };
      await storage.followUpLater({ ...of, retryMs: LAPSED_MS, error: 'sent_copy_refused' });
      expect(await storage.approval(ownerId, id)).toEqual({
        ...rest,
        ownerId,
        id,
        error: 'sent_copy_refused',
      });
      expect((await reclaim(storage)).followUps).toMatchObject([
        { approval: { error: 'sent_copy_refused' } },
      ]);
      await storage.followUpLater({ ...of, retryMs: LAPSED_MS, error: null });
      expect(await errorNow()).toBeNull();
      await storage.followUpLater({ ...of, retryMs: LAPSED_MS, error: 'sent_copy_refused' });
      await storage.followedUp(of);
      expect(await errorNow()).toBeNull();
      // It is done: a process that comes late changes nothing.
      await storage.followUpLater({ ...of, retryMs: LAPSED_MS, error: 'sent_copy_refused' });
      expect(await errorNow()).toBeNull();
    });

    it('comes after actions to run, within the same limit', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      for (let n = 0; n < 3; n++) await execute(storage, key, {}, { followUp: true, leaseMs: LAPSED_MS });
      await start(storage, await run(storage, key, { leaseMs: LAPSED_MS }));
      const { runs, followUps } = await reclaim(storage, { limit: 3 });
      expect([runs.length, followUps.length]).toEqual([1, 2]);
    });
  });

  describe('expire', () => {
    it('ends approvals that were pending for 24 hours, and returns their number', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const old = [await ask(storage, key), await ask(storage, key)];
      const newer = await ask(storage, key, { now: at(1) });
      expect(await storage.expire(at(DAY_MS - 1))).toBe(0);
      expect(await storage.expire(at(DAY_MS))).toBe(2);
      for (const { id } of old) {
        const approval = await storage.approval(key.ownerId, id);
        expect(approval && decisionOf(approval)).toBeUndefined();
        expect(approval && errorOf(approval)).toBeNull();
        expect(approval).toMatchObject({
          state: 'expired',
          endedAt: at(DAY_MS),
        });
      }
      expect(await storage.approval(key.ownerId, newer.id)).toEqual(newer);
      expect(await storage.events({ ownerId: key.ownerId, afterId: 0, limit: 10 })).toEqual([]);
      expect(await storage.expire(at(DAY_MS))).toBe(0);
    });
  });

  describe('erase', () => {
    it('erases the plans and gists of approvals that ended before, and keeps their digests', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const rejection = { reason: 'reword', sealedNote: 'sealed note' } as const;
      const old = (await reject(storage, await ask(storage, key), at(-1), rejection)).approval;
      const recent = (await reject(storage, await ask(storage, key))).approval;
      const waiting = await ask(storage, key, { now: at(-DAY_MS + 1) });
      await storage.erase(erasing({ plansKeptUntil: at(30 * DAY_MS) }));
      expect(await storage.plan(key.ownerId, old.id)).toBeUndefined();
      expect(await storage.approval(key.ownerId, old.id)).toEqual({
        ...old,
        rejection: { reason: 'reword', sealedNote: null },
      });
      for (const { id } of [recent, waiting]) expect(await storage.plan(key.ownerId, id)).toBeDefined();
      const gists = await storage.gists(
        key.ownerId,
        [old, recent, waiting].map(({ id }) => id),
      );
      expect(new Set(gists.keys())).toEqual(new Set([recent.id, waiting.id]));
    });

    it('erases plans by the days that each owner keeps them, and never those of requests that wait', async () => {
      const { storage } = store();
      const ages = [7, 8, 30, 31, 365, 366];
      const left = async (plansKeptDays: number) => {
        const key = await addOwnerAndKey(storage);
        await storage.updateOwner({ signer: SIGNER, ownerId: key.ownerId, plansKeptDays });
        const ended = new Map<number, string>();
        for (const days of ages) {
          const request = await ask(storage, key, { requestHash: `hash ${days}` });
          await reject(storage, request, at(-days * DAY_MS));
          ended.set(days, request.id);
        }
        const waiting = await ask(storage, key, { now: at(-2000 * DAY_MS) });
        return { key, ended, waiting };
      };
      const owners = await Promise.all([7, 30, 365].map(left));
      await storage.erase(erasing({ plansKeptUntil: NOON }));
      const kept = owners.map(async ({ key: { ownerId }, ended, waiting }) => {
        expect(await storage.plan(ownerId, waiting.id)).toBeDefined();
        const plans = await Promise.all(ages.map((days) => storage.plan(ownerId, ended.get(days) ?? '')));
        return ages.filter((_, index) => plans[index] !== undefined);
      });
      expect(await Promise.all(kept)).toEqual([[7], [7, 8, 30], [7, 8, 30, 31, 365]]);
    });

    it('erases older activity', async () => {
      const { storage } = store();
      const keys = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      for (const key of keys) {
        for (const ms of [-2, -1, 0, 1]) {
          const { slotId } = await admitted(storage, key);
          const row = activity(key, { durationMs: 10 + ms });
          await storage.finish({ caller: key, slotId, claim: null, activity: row, now: at(ms) });
        }
      }
      await storage.erase(erasing({ activityBefore: NOON }));
      for (const { ownerId } of keys) {
        const left = await storage.activity({ ownerId, limit: 10 });
        expect(left.map(({ durationMs }) => durationMs)).toEqual([11, 10]);
      }
      await storage.erase(erasing({ activityBefore: at(DAY_MS) }));
      for (const { ownerId } of keys) expect(await storage.activity({ ownerId, limit: 10 })).toEqual([]);
    });

    it('erases a year of rows in small parts, and says until when some are left', async () => {
      const { storage } = store();
      const keys = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      for (const [n, key] of keys.entries()) {
        for (let day = -365; day <= n; day++) {
          await finish(storage, key, { slotId: 'none' }, { now: at(day * DAY_MS) });
        }
      }
      const left = async () => {
        const rows = await Promise.all(keys.map(({ ownerId }) => storage.activity({ ownerId, limit: 1000 })));
        return rows.map((list) => list.length);
      };
      for (let before = 2 * 366 + 1; ; ) {
        const isMoreLeft = await storage.erase(erasing({ activityBefore: NOON }));
        const [one = 0, other = 0] = await left();
        expect(before - one - other).toBeLessThanOrEqual(250);
        if (!isMoreLeft) break;
        before = one + other;
      }
      expect(await left()).toEqual([1, 2]);
    });

    it('erases older claims', async () => {
      const { storage } = store();
      const { ownerId, credentialId } = await addOwnerAndKey(storage);
      const claim = (key: string, now: Date) =>
        storage.claim({ ownerId, credentialId, key, fingerprint: 'f', leaseMs: LEASE_MS, now });
      await claim('old', at(-1));
      await claim('new', NOON);
      await storage.erase(erasing({ claimsBefore: NOON }));
      expect(await claim('old', NOON)).toMatchObject({ kind: 'won' });
      expect(await claim('new', NOON)).toEqual({ kind: 'in_progress' });
    });
  });

  describe('an approval whose plan is erased', () => {
    it('is still taken over, without its plan', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const done = await execute(storage, key, {}, { followUp: true, leaseMs: LAPSED_MS });
      const later = erasing({ plansKeptUntil: at(30 * DAY_MS + 1) });
      await storage.erase(later);
      expect((await reclaim(storage)).followUps).toEqual([{ approval: done, sealedPlan: null }]);
      expect((await settle(storage, done, DONE)).state).toBe('executed');
    });
  });
}

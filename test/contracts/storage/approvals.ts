import { describe, expect, it } from 'vitest';
import {
  type Approval,
  type ApprovalState,
  decisionOf,
  editOf,
  errorOf,
} from '../../../core/approvals/approval.ts';
import { NO_FENCES, REACHES_NOTHING } from '../../../core/keys/fences.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import {
  activityOutcomes,
  addKey,
  addOwner,
  addOwnerAndKey,
  approve,
  ask,
  at,
  DIRECT,
  DONE,
  editedPlan,
  erasing,
  execute,
  filing,
  HELD,
  type Key,
  LAPSED_MS,
  LEASE_MS,
  LOST,
  NOON,
  REFUSED,
  ROOMY,
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

async function started(storage: Storage, approval: Approval): Promise<Approval> {
  expect(await start(storage, approval)).toBe(true);
  const now = await storage.approval(approval.ownerId, approval.id);
  if (now === undefined) throw new Error('the started approval is missing');
  return now;
}

const ownerApproved = async (storage: Storage, key: Key) =>
  (await approve(storage, await ask(storage, key))).approval;
const byPolicy = (storage: Storage, key: Key) => run(storage, key);
const policyStarted = async (storage: Storage, key: Key) => started(storage, await run(storage, key));
const ownerStarted = async (storage: Storage, key: Key) =>
  started(storage, await ownerApproved(storage, key));

/** How an approval reaches each state of the machine. */
const PLACES: Record<string, (storage: Storage, key: Key) => Promise<Approval>> = {
  pending: (storage, key) => ask(storage, key),
  'approved by owner': ownerApproved,
  'approved by policy': byPolicy,
  'started, approved by owner': ownerStarted,
  'started, approved by policy': policyStarted,
  executed: (storage, key) => execute(storage, key),
  failed: async (storage, key) => settle(storage, await run(storage, key), REFUSED),
  rejected: async (storage, key) => (await reject(storage, await ask(storage, key))).approval,
  expired: async (storage, key) => {
    const { ownerId, id } = await ask(storage, key, { now: at(-DAY_MS) });
    await storage.expire(NOON);
    const approval = await storage.approval(ownerId, id);
    if (approval === undefined) throw new Error('the expired approval is missing');
    return approval;
  },
  cancelled: async (storage, key) => {
    const approval = await ask(storage, key);
    await storage.cancel({ ...key, approvalId: approval.id, now: NOON });
    return (await storage.approval(key.ownerId, approval.id)) ?? approval;
  },
  'with an unknown outcome': async (storage, key) => settle(storage, await policyStarted(storage, key), LOST),
};

/** Its wait differs from every lease here, so that a test can tell them apart. */
const NOT_NOW = { type: 'not_now', error: 'upstream_mail_error', retryMs: 5 * LEASE_MS } as const;

const EVENTS: Record<string, (storage: Storage, approval: Approval, key: Key) => Promise<unknown>> = {
  approve: (storage, approval) => approve(storage, approval),
  reject: (storage, approval) => reject(storage, approval),
  expire: (storage) => storage.expire(at(DAY_MS - 1)),
  cancel: (storage, { id }, key) => storage.cancel({ ...key, approvalId: id, now: NOON }),
  start: (storage, approval) => start(storage, approval),
  refuse: (storage, approval) => settle(storage, approval, REFUSED),
  'not now': (storage, approval) => settle(storage, approval, NOT_NOW),
  succeed: (storage, approval) => settle(storage, approval, DONE),
  lose: (storage, approval) => settle(storage, approval, LOST),
  pause: (storage, _approval, key) => storage.pause({ ...key, signer: SIGNER, now: NOON }),
  reclaim: (storage) => reclaim(storage),
};

/**
 * The next state, from the table in docs/architecture.md, while leases run and no time limit has passed. All other
 * pairs change nothing.
 */
const FOLLOWS: Record<string, Record<string, ApprovalState>> = {
  pending: { approve: 'approved', reject: 'rejected', cancel: 'cancelled' },
  'approved by owner': { start: 'approved', refuse: 'failed', 'not now': 'approved', pause: 'failed' },
  'approved by policy': { start: 'approved', refuse: 'failed', 'not now': 'failed', pause: 'failed' },
  'started, approved by owner': { succeed: 'executed', refuse: 'failed', lose: 'outcome_unknown' },
  'started, approved by policy': { succeed: 'executed', refuse: 'failed', lose: 'outcome_unknown' },
};

export function approvalPromises(store: Store): void {
  describe.each(Object.keys(PLACES))('an approval that is %s', (place) => {
    it.each(Object.keys(EVENTS))('and the event: %s', async (event) => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const before = await PLACES[place]?.(storage, key);
      if (before === undefined) throw new Error(`unknown state: ${place}`);
      const statesBefore = await webhookStates(storage, before);
      const outcomesBefore = await activityOutcomes(storage, before);
      await EVENTS[event]?.(storage, before, key);
      const after = await storage.approval(key.ownerId, before.id);
      const follows = FOLLOWS[place]?.[event];
      if (follows === undefined) {
        expect(after).toEqual(before);
        expect(await webhookStates(storage, before)).toEqual(statesBefore);
        expect(await activityOutcomes(storage, before)).toEqual(outcomesBefore);
      } else {
        expect(after).not.toEqual(before);
        expect(after?.state).toBe(follows);
      }
    });
  });

  describe('onApprovalChange', () => {
    it('reports what this process adds and changes, once another process can see it', async () => {
      const { storage, second } = store();
      const other = await second();
      const key = await addOwnerAndKey(storage);
      const seen: Promise<readonly [string, string, string | undefined]>[] = [];
      const remove = storage.onApprovalChange((id, ownerId) =>
        seen.push(other.approval(ownerId, id).then((approval) => [ownerId, id, approval?.state])),
      );
      const [one, two, three] = [await ask(storage, key), await ask(storage, key), await ask(storage, key)];
      // What the other process reads must not already be the next change.
      await Promise.all(seen);
      await reject(storage, one);
      await Promise.all(seen);
      await other.cancel({ ...key, approvalId: two.id, now: NOON });
      await storage.revoke({ ...key, signer: SIGNER, now: NOON });
      remove();
      await ask(storage, await addKey(storage, key.ownerId));
      expect(await Promise.all(seen)).toEqual([
        ...[one, two, three].map(({ id }) => [key.ownerId, id, 'pending']),
        [key.ownerId, one.id, 'rejected'],
        [key.ownerId, three.id, 'cancelled'],
      ]);
    });
  });

  describe('file, for the owner who tries a failed request again', () => {
    const again = (key: Key, changes = {}) => filing(key, { isOwners: true, ...changes });

    it('waits, whatever was rejected before, the caps and a pause', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage, { ...ROOMY, waitingPerKey: 1, filedPerDay: 1 });
      const rejected = filing(key, { call: HELD });
      await reject(storage, await ask(storage, key, rejected));
      await storage.pause({ ...key, signer: SIGNER, now: NOON });
      const { requestHash } = rejected;
      const filed = await storage.file(again(key, { requestHash }));
      expect(filed).toMatchObject({ kind: 'ask', approval: { state: 'pending', reasons: ['tried_again'] } });
      const other = await storage.file(again(key));
      expect(other.kind).toBe('ask');
    });

    it('is answered by the same request, and by one for the same target', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await ask(storage, key, { requestHash: 'hash', targets: ['message:1:a'] });
      for (const changes of [{ requestHash: 'hash' }, { targets: ['message:1:a'] }]) {
        expect(await storage.file(again(key, changes))).toMatchObject({
          kind: 'existing',
          approval: { id: first.id },
        });
      }
    });

    it('is refused without the permission', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await storage.setModes({ ...key, modes: { ...DIRECT, 'mail:send': 'off' }, signer: SIGNER, now: NOON });
      expect(await storage.file(again(key))).toMatchObject({
        kind: 'refuse',
        error: { code: 'not_permitted' },
      });
    });
  });

  describe('decide', () => {
    it('approves with its time, a lease and its event, and returns the plan', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { sealedPlan: 'the plan' });
      const decided = await approve(storage, waiting, { now: at(MINUTE_MS) });
      expect(decided).toEqual({
        won: true,
        sealedPlan: 'the plan',
        approval: {
          ...waiting,
          state: 'approved',
          authorization: { by: 'owner', at: at(MINUTE_MS), decidedIn: null, edit: null },
          fence: 1,
          leaseUntilMs: expect.any(Number) as number,
          startedAt: null,
          error: null,
        },
      });
      expect(await storage.approval(key.ownerId, waiting.id)).toEqual(decided.approval);
      expect(await webhookStates(storage, waiting)).toEqual(['approved']);
      expect(await activityOutcomes(storage, waiting)).toEqual(['decision approved']);
    });

    it('rejects with its time and its event, and does not return the plan', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage));
      const decided = await reject(storage, waiting, at(MINUTE_MS));
      expect(decided).toMatchObject({ won: true, sealedPlan: null, approval: { state: 'rejected' } });
      expect(decided.approval).toMatchObject({ endedAt: at(MINUTE_MS), rejection: null });
      expect(decisionOf(decided.approval)?.at).toEqual(at(MINUTE_MS));
      expect(errorOf(decided.approval)).toBeNull();
      expect(await webhookStates(storage, waiting)).toEqual(['rejected']);
      expect(await activityOutcomes(storage, waiting)).toEqual(['decision rejected']);
    });

    it('keeps why and where the owner rejected it', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage));
      const rejection = { reason: 'wrong_recipient', sealedNote: 'sealed note' } as const;
      const { approval } = await reject(storage, waiting, NOON, rejection);
      expect(approval).toMatchObject({ state: 'rejected', rejection, decidedIn: 'ses_1' });
      expect(editOf(approval)).toBeNull();
      expect(await storage.approval(waiting.ownerId, waiting.id)).toEqual(approval);
    });

    it('approves with changes: another plan takes the place of the one asked for, in the same unit', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { sealedPlan: 'the plan' });
      const edited = editedPlan();
      const decided = await approve(storage, waiting, { edited });
      expect(decided).toMatchObject({ won: true, sealedPlan: 'the changed plan' });
      expect(decided.approval).toMatchObject({ state: 'approved', digest: edited.digest });
      expect(editOf(decided.approval)).toEqual(edited.edit);
      const { ownerId, id } = waiting;
      expect(await storage.approval(ownerId, id)).toEqual(decided.approval);
      expect(await storage.plan(ownerId, id)).toBe('the changed plan');
      expect(await storage.askedPlan(ownerId, id)).toBe('the plan as asked');
      expect(await storage.gists(ownerId, [id])).toEqual(new Map([[id, 'the changed gist']]));
    });

    it('changes no plan if the changes come too late, or for a page that showed something else', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage), { sealedPlan: 'the plan' });
      const { ownerId, id } = waiting;
      const edited = editedPlan();
      expect((await approve(storage, waiting, { edited, digest: edited.digest })).won).toBe(false);
      expect((await approve(storage, waiting, { edited, now: at(DAY_MS) })).won).toBe(false);
      expect(await storage.plan(ownerId, id)).toBe('the plan');
      await reject(storage, waiting);
      expect((await approve(storage, waiting, { edited })).won).toBe(false);
      expect(await storage.plan(ownerId, id)).toBe('the plan');
      expect(await storage.askedPlan(ownerId, id)).toBeUndefined();
    });

    it('with changes compares by what was asked and by what was approved', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const asked = filing(key, { call: HELD });
      const { approval } = await approve(storage, await ask(storage, key, asked), { edited: editedPlan() });
      for (const requestHash of [asked.requestHash, editedPlan().edit.requestHash]) {
        const again = await storage.file(filing(key, { requestHash }));
        expect(again).toMatchObject({ kind: 'existing', approval: { id: approval.id } });
      }
      const other = await addKey(storage, key.ownerId);
      const { requestHash } = editedPlan().edit;
      const filed = await storage.file(filing(other, { requestHash, call: { ...HELD, holds: [] } }));
      expect(filed).toMatchObject({ kind: 'ask', approval: { reasons: ['likely_repeat'] } });
      await start(storage, approval);
      await settle(storage, approval, DONE);
      const later = await addKey(storage, key.ownerId);
      for (const hash of [asked.requestHash, requestHash]) {
        const repeat = await storage.file(filing(later, { requestHash: hash, call: { ...HELD, holds: [] } }));
        expect(repeat).toMatchObject({ kind: 'ask', approval: { reasons: ['likely_repeat'] } });
      }
    });

    it('decides once', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage));
      const first = await approve(storage, waiting);
      expect(await reject(storage, waiting)).toEqual({
        won: false,
        sealedPlan: null,
        approval: first.approval,
      });
      expect(await approve(storage, waiting)).toEqual({
        won: false,
        sealedPlan: null,
        approval: first.approval,
      });
      expect(await webhookStates(storage, waiting)).toEqual(['approved']);
    });

    it('does not approve a plan that differs from the one the owner saw', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage));
      const decided = await approve(storage, waiting, { digest: 'of another plan' });
      expect(decided).toEqual({ won: false, sealedPlan: null, approval: waiting });
    });

    it('does not decide an expired approval', async () => {
      const { storage } = store();
      const waiting = await ask(storage, await addOwnerAndKey(storage));
      expect((await approve(storage, waiting, { now: at(DAY_MS) })).won).toBe(false);
      expect((await reject(storage, waiting, at(DAY_MS))).won).toBe(false);
      expect((await approve(storage, waiting, { now: at(DAY_MS - 1) })).won).toBe(true);
    });

    it('does not approve for a key that has expired', async () => {
      const { storage } = store();
      const key = await addKey(storage, await addOwner(storage), { expiresAt: at(MINUTE_MS) });
      const waiting = await ask(storage, key);
      expect((await approve(storage, waiting, { now: at(MINUTE_MS) })).won).toBe(false);
      expect((await reject(storage, waiting, at(MINUTE_MS))).won).toBe(true);
    });

    it('returns undefined for an approval that does not exist', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      const decision = { type: 'reject' } as const;
      expect(
        await storage.decide({
          signer: SIGNER,
          ownerId,
          approvalId: 'apr_none',
          decision,
          leaseMs: 1,
          now: NOON,
        }),
      ).toBeUndefined();
    });
  });

  describe('cancel', () => {
    it('withdraws a pending approval, without a webhook event', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key);
      const cancelled = await storage.cancel({ ...key, approvalId: waiting.id, now: at(5) });
      expect(cancelled).toMatchObject({
        won: true,
        approval: { state: 'cancelled', error: 'cancelled_by_agent', endedAt: at(5) },
      });
      expect(cancelled && decisionOf(cancelled.approval)).toBeUndefined();
      expect(await webhookStates(storage, waiting)).toEqual([]);
      expect(await storage.cancel({ ...key, approvalId: waiting.id, now: at(6) })).toEqual({
        won: false,
        approval: cancelled?.approval,
      });
    });

    it("does not find another key's request", async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key);
      const other = await addKey(storage, key.ownerId);
      expect(await storage.cancel({ ...other, approvalId: waiting.id, now: NOON })).toBeUndefined();
      expect(await storage.approval(key.ownerId, waiting.id)).toEqual(waiting);
    });
  });

  describe('start', () => {
    it('is recorded once', async () => {
      const { storage } = store();
      const approval = await run(storage, await addOwnerAndKey(storage));
      expect(await start(storage, approval, at(9))).toBe(true);
      expect(await storage.approval(approval.ownerId, approval.id)).toMatchObject({ startedAt: at(9) });
      expect(await start(storage, approval, at(10))).toBe(false);
      expect(await storage.approval(approval.ownerId, approval.id)).toMatchObject({ startedAt: at(9) });
    });

    it('is refused more than 15 minutes after the approval', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const late = (await approve(storage, await ask(storage, key), { now: at(MINUTE_MS) })).approval;
      expect(await start(storage, late, at(16 * MINUTE_MS))).toBe(false);
      expect(await start(storage, late, at(16 * MINUTE_MS - 1))).toBe(true);
    });

    it('is refused once another run has taken over', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lapsed = (await approve(storage, await ask(storage, key), { leaseMs: LAPSED_MS })).approval;
      const [taken] = (await reclaim(storage)).runs;
      if (taken === undefined) throw new Error('nothing was taken over');
      expect(await start(storage, lapsed)).toBe(false);
      expect(await start(storage, taken.approval)).toBe(true);
    });

    it('is refused once the credential is off or has expired, or the permission is off', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const [revoked, expired, forbidden] = [
        await addKey(storage, ownerId),
        await addKey(storage, ownerId, { expiresAt: at(MINUTE_MS) }),
        await addKey(storage, ownerId),
      ];
      const approvals = [];
      for (const key of [revoked, expired, forbidden]) approvals.push(await run(storage, key));
      await storage.revoke({ signer: SIGNER, ...revoked, now: NOON });
      await storage.setModes({ signer: SIGNER, ...forbidden, modes: PRESETS.read.modes, now: NOON });
      for (const approval of approvals) expect(await start(storage, approval, at(MINUTE_MS))).toBe(false);
    });

    it('goes on if the mode has become stricter but is not off, because the action was approved', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await run(storage, key);
      await storage.setModes({
        signer: SIGNER,
        ...key,
        modes: { ...DIRECT, 'mail:send': 'approval' },
        now: NOON,
      });
      expect(await start(storage, approval)).toBe(true);
    });

    it('is refused outside the fences as they are now, and ends the request', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const reach = { accountIds: [1], people: ['maya@atlas.example'] };
      const tries = [
        { fences: { accounts: [2] }, started: false },
        { fences: { recipients: ['jonas@atlas.example'] }, started: false },
        { fences: { until: at(1) }, started: false },
        { fences: { accounts: [1, 2], recipients: ['atlas.example'], until: at(2) }, started: true },
      ];
      for (const { fences, started } of tries) {
        const approval = await run(storage, key);
        const set = { ...key, fences: { ...NO_FENCES, ...fences }, signer: SIGNER, now: NOON };
        await storage.setFences(set);
        const request = { ownerId, approvalId: approval.id, fence: 1, relocated: [], signer: SIGNER };
        expect(await storage.start({ ...request, reach, now: at(1) })).toBe(started);
        expect(await storage.approval(ownerId, approval.id)).toMatchObject(
          started ? { startedAt: at(1) } : { state: 'failed', error: 'outside_fence', startedAt: null },
        );
        await storage.setFences({ ...set, fences: NO_FENCES });
      }
    });

    it('remembers the messages that are about to be moved, permanently and only if it starts', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const approval = await run(storage, key);
      const late = { ...approval, fence: approval.fence - 1 };
      expect(await start(storage, late, NOON, ['lost'])).toBe(false);
      expect(await start(storage, approval, NOON, ['one', 'two', 'one'])).toBe(true);
      expect(await start(storage, await run(storage, key), NOON, ['two', 'three'])).toBe(true);
      const marks = ['lost', 'one', 'two', 'three', 'four'];
      expect(await storage.relocatedAmong(ownerId, marks)).toEqual(new Set(['one', 'two', 'three']));
      expect(await storage.relocatedAmong(ownerId, [])).toEqual(new Set());
      const other = await addOwnerAndKey(storage);
      expect(await storage.relocatedAmong(other.ownerId, marks)).toEqual(new Set());
      await storage.erase(erasing({ eventsBefore: new Date(0) }, at(9e12)));
      expect(await storage.relocatedAmong(ownerId, ['one'])).toEqual(new Set(['one']));
    });

    it('is refused for an approval that does not exist', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      const none = {
        ownerId,
        approvalId: 'apr_none',
        fence: 1,
        reach: REACHES_NOTHING,
        relocated: [{ mark: 'mark', movedIn: null }],
        signer: SIGNER,
        now: NOON,
      };
      expect(await storage.start(none)).toBe(false);
      expect(await storage.relocatedAmong(ownerId, ['mark'])).toEqual(new Set());
    });
  });

  describe('settle', () => {
    it('executed: stores result, times, event and activity, and the addresses become known', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await run(storage, key);
      await start(storage, approval, at(1000));
      const settled = await settle(storage, approval, DONE, {
        recipients: ['a@x.org', 'b@x.org'],
        now: at(3500),
      });
      const { leaseUntilMs: _until, ...left } = approval;
      expect(settled).toEqual({
        ...left,
        state: 'executed',
        startedAt: at(1000),
        endedAt: at(3500),
        fence: 1,
        result: { sent: true, recipients: 1 },
      });
      expect(await storage.approval(key.ownerId, approval.id)).toEqual(settled);
      expect(await webhookStates(storage, approval)).toEqual(['executed']);
      expect(await activityOutcomes(storage, approval)).toEqual(['settlement executed']);
      const known = await storage.knownRecipients(key.ownerId, 1, ['a@x.org', 'b@x.org', 'c@x.org']);
      expect([...known.keys()].toSorted()).toEqual(['a@x.org', 'b@x.org']);
      const [row] = await storage.activity({ ownerId: key.ownerId, limit: 1 });
      expect(row).toMatchObject({
        kind: 'settlement',
        credentialId: key.credentialId,
        tool: 'send_email',
        outcome: 'executed',
        approvalId: approval.id,
        durationMs: 2500,
        shown: [],
        listed: [],
        at: at(3500),
      });
    });

    it.each([
      { end: REFUSED, state: 'failed', error: 'upstream_mail_error' },
      { end: LOST, state: 'outcome_unknown', error: null },
    ] as const)(
      '$state: stores its event and its activity, and no address becomes known',
      async ({ end, state, error }) => {
        const { storage } = store();
        const key = await addOwnerAndKey(storage);
        const approval = await policyStarted(storage, key);
        const settled = await settle(storage, approval, end, { recipients: ['a@x.org'], followUp: true });
        expect(settled).toMatchObject({ state, endedAt: NOON });
        expect(errorOf(settled)).toBe(error);
        expect(await webhookStates(storage, approval)).toEqual([state]);
        expect(await activityOutcomes(storage, approval)).toEqual([`settlement ${state}`]);
        expect(await storage.knownRecipients(key.ownerId, 1, ['a@x.org'])).toEqual(new Map());
        expect((await reclaim(storage)).followUps).toEqual([]);
      },
    );

    it.each([
      { bytes: 31_000_000, limitBytes: 25_000_000 },
      { bytes: 31_000_000, limitBytes: null },
    ])('of a message that is too large: keeps both sizes, %j', async (sizes) => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await policyStarted(storage, key);
      const end = { type: 'refuse', error: 'message_too_large', sizes } as const;
      expect(await settle(storage, approval, end)).toMatchObject({ state: 'failed', sizes });
      const stored = await storage.approval(key.ownerId, approval.id);
      expect(stored).toMatchObject({ error: 'message_too_large', sizes });
    });

    it('not now, approved by the owner: due again after the wait, with an event only when it gives up', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await ownerApproved(storage, key);
      await settle(storage, approval, NOT_NOW);
      expect((await reclaim(storage)).runs).toEqual([]);
      const waits = await settle(storage, approval, { ...NOT_NOW, retryMs: LAPSED_MS });
      expect(waits.state).toBe('approved');
      const [again] = (await reclaim(storage)).runs;
      expect(again?.approval).toMatchObject({ id: approval.id, fence: 2 });
      if (again === undefined) throw new Error('nothing is due');
      const given = await settle(storage, again.approval, NOT_NOW, { now: at(15 * MINUTE_MS) });
      expect(given).toMatchObject({ state: 'failed', error: 'not_started_in_time' });
      expect(await webhookStates(storage, approval)).toEqual(['approved', 'failed']);
      expect(await activityOutcomes(storage, approval)).toEqual(['decision approved', 'settlement failed']);
    });

    it('not now, approved by policy: fails with the error', async () => {
      const { storage } = store();
      const approval = await run(storage, await addOwnerAndKey(storage));
      expect(await settle(storage, approval, NOT_NOW)).toMatchObject({
        state: 'failed',
        error: 'upstream_mail_error',
      });
    });

    it('changes nothing once the fence is lost', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lapsed = await run(storage, key, { leaseMs: LAPSED_MS });
      await start(storage, lapsed);
      const [taken] = (await reclaim(storage)).runs;
      if (taken === undefined) throw new Error('nothing was taken over');
      for (const end of [DONE, REFUSED, LOST]) {
        const answer = await settle(storage, lapsed, end, { recipients: ['a@x.org'], followUp: true });
        expect(answer).toEqual(taken.approval);
      }
      expect(await storage.knownRecipients(key.ownerId, 1, ['a@x.org'])).toEqual(new Map());
      expect(await webhookStates(storage, lapsed)).toEqual([]);
      expect((await settle(storage, taken.approval, LOST)).state).toBe('outcome_unknown');
    });

    it('is idempotent', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const approval = await policyStarted(storage, key);
      const first = await settle(storage, approval, DONE, { followUp: true });
      expect(await settle(storage, approval, DONE, { followUp: true, now: at(5) })).toEqual(first);
      expect(await webhookStates(storage, approval)).toEqual(['executed']);
    });

    it('still moves the approval on if the account has been removed meanwhile', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { accountId } = await storage.addAccount({
        ownerId: key.ownerId,
        label: 'work',
        email: 'w@example.org',
        signature: '',
        seal: () => 'sealed',
        folderRoles: USUAL_ROLES,
        now: NOON,
      });
      const approval = await run(storage, key, { accountId });
      await start(storage, approval);
      await storage.removeAccount({ ownerId: key.ownerId, accountId, targetsBegin: 'none', now: NOON });
      expect((await settle(storage, approval, DONE, { recipients: ['a@x.org'] })).state).toBe('executed');
    });
  });
}

import { rememberedRecipients, rememberedRelocated } from '../accounts/known-storage.ts';
import type { Reach } from '../keys/fences.ts';
import type { MessageSizes } from '../mail/message-sizes.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { put, type RowChange, remove } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { ValuesOf } from '../state/table.ts';
import { rememberedMovedIn } from '../watching/inbox-storage.ts';
import {
  type Approval,
  type ApprovalError,
  type ApprovalEvent,
  type Approved,
  type Executed,
  type FollowUpError,
  type RetryCause,
  transition,
} from './approval.ts';
import {
  type ApprovalFacts,
  type ApprovalRow,
  approvalById,
  approvalFacts,
  approvalOf,
  approvalQueries,
  approvalStatements,
  followUpOfApproval,
  followUps,
} from './approval-state.ts';
import { refusalNow } from './key-status.ts';
import { savedApproval, settlementRow, writesOfEnd, writesOfMove } from './move-storage.ts';
import { isDecisionIntact } from './signed-decision.ts';

/** A message that a run moves, copies or labels. */
export interface Relocated {
  /** See `relocationMark`. */
  readonly mark: string;
  /** The inbox that it puts the message into, and the message's `arrivalIdentity`. Null: not into an inbox. */
  readonly movedIn: { readonly accountId: number; readonly identity: string } | null;
}

export interface Settlement {
  readonly ownerId: string;
  readonly approvalId: string;
  readonly fence: number;
  readonly end:
    | { readonly type: 'succeed'; readonly result: Readonly<Record<string, unknown>> }
    | { readonly type: 'refuse'; readonly error: ApprovalError; readonly sizes?: MessageSizes | undefined }
    | { readonly type: 'not_now'; readonly error: RetryCause; readonly retryMs: number }
    | { readonly type: 'lose' };
  /** Addresses that become known through an executed send. */
  readonly recipients: readonly string[];
  /** There is work after success. It is leased to the caller for `leaseMs`. */
  readonly followUp: boolean;
  readonly leaseMs: number;
  readonly now: Date;
}

export interface Reclaimed<In extends Approved | Executed> {
  readonly approval: In;
  readonly sealedPlan: string | null;
}

interface Taken {
  readonly runs: readonly Reclaimed<Approved>[];
  readonly followUps: readonly Reclaimed<Executed>[];
}

interface Start {
  ownerId: string;
  approvalId: string;
  fence: number;
  reach: Reach;
  relocated: readonly Relocated[];
  signer: Signer;
  now: Date;
}

/** Approved requests from their start to their end, and the work after it. */
export type RunStorage = ReturnType<typeof runStorage>;

/** @param random  source of the ids of events */
export function runStorage({ unit, dueUnit }: StateStore, random: Random) {
  return {
    /**
     * Records that the next byte cannot be taken back. False: do not send the byte, because the fence is lost, the
     * time is over, credential or permission are off, the fences exclude `reach`, or Countersign did not write the decision
     * (`altered`). Durable (survives loss of power) before it resolves.
     * `now` becomes `startedAt`, which is the Date of a sent message.
     * In the same unit, remembers the messages to be moved, copied or labelled by their marks (`relocationMark`),
     * permanently, even after their account is removed. Those that it puts into an inbox are not new mail there.
     */
    start: (request: Start): Promise<boolean> => {
      const { ownerId } = request;
      return unit('durable', { ownerId }, approvalQueries(request), (found) =>
        start(approvalFacts(found), request, random),
      );
    },

    /**
     * Records how a run ended, with its event, its activity row and the addresses that become known. A settlement
     * with a lost fence changes nothing.
     * @returns the approval as it is now; undefined if its owner was removed before it started
     */
    settle: (settlement: Settlement): Promise<Approval | undefined> => {
      const { ownerId, approvalId } = settlement;
      const facts = { row: first(approvalById, { ownerId, approvalId }) };
      return unit('durable', { ownerId }, facts, ({ row }, storeNowMs) =>
        row === undefined ? unchanged(undefined) : settle(approvalOf(row), settlement, storeNowMs, random),
      );
    },

    /** Records that the work after an executed action is done (a copy in Sent, \Answered). */
    followedUp: (request: { ownerId: string; approvalId: string }): Promise<void> => {
      const { ownerId, approvalId } = request;
      const facts = { row: first(approvalById, { ownerId, approvalId }) };
      return unit('relaxed', { ownerId }, facts, ({ row }) => ({
        answer: undefined,
        changes: [remove(followUps, { ownerId, approvalId }), ...withFault(row, null)],
      }));
    },

    /**
     * Records that it is not done, and why. It is due again after `retryMs` on the store's clock.
     * @param request  `error` null: nothing that the owner can mend
     */
    followUpLater: (request: {
      ownerId: string;
      approvalId: string;
      retryMs: number;
      error: FollowUpError | null;
    }): Promise<void> => {
      const { ownerId, approvalId, retryMs, error } = request;
      const facts = {
        row: first(approvalById, { ownerId, approvalId }),
        followUp: first(followUpOfApproval, { ownerId, approvalId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ row, followUp }, storeNowMs) => {
        if (followUp === undefined) return unchanged(undefined);
        const later = put(followUps, { ownerId, approvalId, dueAtMs: storeNowMs + retryMs });
        return { answer: undefined, changes: [later, ...withFault(row, error)] };
      });
    },

    /**
     * Takes over work whose lease has ended, oldest first: approvals to run or to check (with a new fence and lease),
     * and work after executed actions. The oldest of every owner comes before the second of any owner. Ends approvals that the
     * state machine ends instead (`interrupted`, `not_started_in_time`), and those whose decision Countersign did not write
     * (`altered`), with their event.
     * @param request  `running`: approval ids that this process runs itself; skipped
     */
    reclaim: (request: {
      running: ReadonlySet<string>;
      leaseMs: number;
      limit: number;
      signer: Signer;
      now: Date;
    }): Promise<Taken> => {
      const { limit } = request;
      const runningList = [...request.running];
      return dueUnit(
        'durable',
        all(approvalStatements.owners_of_lapsed, { runningList, limit }),
        (ownerIdList, dueBy) => ({
          lapsed: all(approvalStatements.lapsed, { ownerIdList, runningList, dueBy, limit }),
          due: all(approvalStatements.due_follow_ups, { ownerIdList, runningList, dueBy, limit }),
        }),
        (found, storeNowMs) => reclaim(found, request, storeNowMs, random),
      );
    },
  };
}

/** Ends a request that its key's pause or fences keep from starting, or whose decision was altered. */
function start(
  facts: ApprovalFacts | undefined,
  { fence, reach, relocated, signer, now }: Start,
  random: Random,
): Verdict<boolean> {
  if (facts?.approval.state !== 'approved') return unchanged(false);
  const { approval: before, row, keyStatus } = facts;
  const isIntact = isDecisionIntact(row, signer);
  const refusal = isIntact ? refusalNow(keyStatus, before, reach, signer, now) : 'altered';
  const isOver = refusal === 'credential_paused' || refusal === 'outside_fence' || refusal === 'altered';
  if (before.startedAt === null && isOver) {
    const ended = transition(before, { type: 'refuse', fence, error: refusal }, now);
    return { answer: false, changes: ended === undefined ? [] : writesOfEnd(before, ended, now, random) };
  }
  const after = transition(before, { type: 'start', fence, allowed: refusal === undefined }, now);
  if (after === undefined) return unchanged(false);
  const { ownerId } = after;
  return {
    answer: true,
    changes: [...writesOfMove(before, after, now, random), ...remembered(ownerId, relocated, now)],
  };
}

function remembered(ownerId: string, relocated: readonly Relocated[], now: Date): readonly RowChange[] {
  if (relocated.length === 0) return [];
  const marks = relocated.map(({ mark }) => mark);
  return [
    rememberedRelocated(ownerId, marks),
    ...relocated.flatMap(({ movedIn }) =>
      movedIn === null ? [] : [rememberedMovedIn(ownerId, movedIn, now)],
    ),
  ];
}

function settle(
  before: Approval,
  settlement: Settlement,
  storeNowMs: number,
  random: Random,
): Verdict<Approval> {
  const { recipients, followUp, leaseMs, now } = settlement;
  const after = transition(before, eventOf(settlement, storeNowMs), now);
  if (after === undefined) return unchanged(before);
  const { ownerId, id: approvalId, accountId } = after;
  const changes: RowChange[] = [...writesOfMove(before, after, now, random)];
  if (after.state !== before.state) changes.push(settlementRow(after, now));
  if (after.state === 'executed') {
    if (accountId !== null && recipients.length > 0) {
      const addresses = [...new Set(recipients)];
      for (const one of rememberedRecipients({ ownerId, accountId, addresses, isSend: true, now }))
        changes.push(one);
    }
    if (followUp) {
      changes.push(put(followUps, { ownerId, approvalId, dueAtMs: storeNowMs + leaseMs }));
    }
  }
  return { answer: after, changes };
}

function eventOf({ end, fence }: Settlement, storeNowMs: number): ApprovalEvent {
  if (end.type !== 'not_now') return { ...end, fence };
  return { type: 'not_now', fence, error: end.error, retryAtMs: storeNowMs + end.retryMs };
}

/** What keeps the follow-up of an executed approval from being done. */
function withFault(row: ApprovalRow | undefined, error: FollowUpError | null): readonly RowChange[] {
  const approval = row && approvalOf(row);
  if (approval?.state !== 'executed' || approval.error === error) return [];
  return [savedApproval({ ...approval, error })];
}

type TakenRow = ValuesOf<(typeof approvalStatements.lapsed)['columns']>;

/** Takes over runs whose lease has ended, and ends those that must not run anymore. */
function reclaim(
  { lapsed, due }: { readonly lapsed: readonly TakenRow[]; readonly due: readonly TakenRow[] },
  { leaseMs, limit, signer, now }: { leaseMs: number; limit: number; signer: Signer; now: Date },
  storeNowMs: number,
  random: Random,
): Verdict<Taken> {
  const leaseUntilMs = storeNowMs + leaseMs;
  const changes: RowChange[] = [];
  const runs: Reclaimed<Approved>[] = [];
  for (const row of lapsed) {
    const before = approvalOf(row);
    if (before.state !== 'approved') continue;
    const event: ApprovalEvent =
      isDecisionIntact(row, signer) || before.leaseUntilMs === 'restored'
        ? { type: 'reclaim', storeNowMs, leaseUntilMs }
        : endOfAltered(before);
    const after = transition(before, event, now);
    if (after === undefined) continue;
    for (const change of writesOfMove(before, after, now, random)) changes.push(change);
    if (after.state === 'approved') runs.push({ approval: after, sealedPlan: row.sealedPlan });
    else changes.push(settlementRow(after, now));
  }
  const taken: Reclaimed<Executed>[] = [];
  for (const row of due.slice(0, limit - runs.length)) {
    const approval = approvalOf(row);
    const { ownerId, id: approvalId } = approval;
    if (approval.state === 'executed' && isDecisionIntact(row, signer)) {
      taken.push({ approval, sealedPlan: row.sealedPlan });
      changes.push(put(followUps, { ownerId, approvalId, dueAtMs: leaseUntilMs }));
    } else {
      changes.push(remove(followUps, { ownerId, approvalId }));
    }
  }
  return { answer: { runs, followUps: taken }, changes };
}

/** Nobody knows what happened if somebody wrote that it had started. */
function endOfAltered({ startedAt, fence }: Approved): ApprovalEvent {
  return startedAt === null ? { type: 'refuse', fence, error: 'altered' } : { type: 'lose', fence };
}

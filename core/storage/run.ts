import { type Approval, type ApprovalEvent, transition } from '../approvals/approval.ts';
import type { Relocated, Settlement } from '../ports/approval-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, ApprovalFacts, HeldFacts, Judged } from '../ports/store.ts';
import type { Random } from '../secrets/random.ts';
import { settlementRow, writesOfEnd, writesOfMove } from './moved.ts';
import { refusalNow } from './standing.ts';

/**
 * Decides whether the next byte, which cannot be taken back, may be sent. Ends a request that its key's pause or fences
 * keep from starting.
 */
export function start(
  facts: ApprovalFacts | undefined,
  { fence, reach, relocated, signer, now }: Parameters<Storage['start']>[0],
  random: Random,
): Judged<boolean> {
  if (facts === undefined) return { answer: false, changes: [] };
  const { approval: before, standing } = facts;
  const refusal = refusalNow(standing, before, reach, signer, now);
  if (before.startedAt === null && (refusal === 'credential_paused' || refusal === 'outside_fence')) {
    const ended = transition(before, { type: 'refuse', fence, error: refusal }, now);
    return { answer: false, changes: ended === undefined ? [] : writesOfEnd(before, ended, now, random) };
  }
  const after = transition(before, { type: 'start', fence, allowed: refusal === undefined }, now);
  if (after === undefined) return { answer: false, changes: [] };
  const { ownerId } = after;
  return {
    answer: true,
    changes: [...writesOfMove(before, after, now, random), ...remembered(ownerId, relocated, now)],
  };
}

function remembered(ownerId: string, relocated: readonly Relocated[], now: Date): readonly AnyChange[] {
  if (relocated.length === 0) return [];
  const marks = relocated.map(({ mark }) => mark);
  return [
    { type: 'remember_relocated', ownerId, marks },
    ...relocated.flatMap(({ movedIn }) =>
      movedIn === null ? [] : [{ type: 'remember_moved_in', ownerId, ...movedIn, now } as const],
    ),
  ];
}

/** Records how a run ended. Changes nothing if its fence is lost. Undefined: its owner was removed. */
export function settle(
  facts: ApprovalFacts | undefined,
  settlement: Settlement,
  storeNowMs: number,
  random: Random,
): Judged<Approval | undefined> {
  if (facts === undefined) return { answer: undefined, changes: [] };
  const { approval: before } = facts;
  const { recipients, followUp, leaseMs, now } = settlement;
  const after = transition(before, eventOf(settlement, storeNowMs), now);
  if (after === undefined) return { answer: before, changes: [] };
  const { ownerId, id: approvalId, accountId } = after;
  const changes: AnyChange[] = [...writesOfMove(before, after, now, random)];
  if (after.state !== before.state) changes.push(settlementRow(after, now));
  if (after.state === 'executed') {
    if (accountId !== null && recipients.length > 0) {
      const addresses = [...new Set(recipients)];
      changes.push({ type: 'remember_recipients', ownerId, accountId, addresses, isSend: true, now });
    }
    if (followUp) {
      changes.push({ type: 'keep_follow_up', ownerId, approvalId, dueAtMs: storeNowMs + leaseMs });
    }
  }
  return { answer: after, changes };
}

function eventOf({ end, fence }: Settlement, storeNowMs: number): ApprovalEvent {
  if (end.type !== 'not_now') return { ...end, fence };
  return { type: 'not_now', fence, error: end.error, retryAtMs: storeNowMs + end.retryMs };
}

/** Ends a follow-up. */
export function followedUp(
  { approval }: HeldFacts,
  { ownerId, approvalId }: Parameters<Storage['followedUp']>[0],
): Judged<void> {
  return {
    answer: undefined,
    changes: [{ type: 'end_follow_up', ownerId, approvalId }, ...withFault(approval, null)],
  };
}

/** Makes a follow-up due again, unless it is done. */
export function followUpLater(
  { hasFollowUp, approval }: HeldFacts,
  { ownerId, approvalId, retryMs, error }: Parameters<Storage['followUpLater']>[0],
  storeNowMs: number,
): Judged<void> {
  if (!hasFollowUp) return { answer: undefined, changes: [] };
  const dueAtMs = storeNowMs + retryMs;
  return {
    answer: undefined,
    changes: [{ type: 'keep_follow_up', ownerId, approvalId, dueAtMs }, ...withFault(approval, error)],
  };
}

/** What keeps the follow-up of an executed approval from being done. */
function withFault(approval: Approval | undefined, error: Approval['error']): readonly AnyChange[] {
  if (approval?.state !== 'executed' || approval.error === error) return [];
  return [{ type: 'save_approval', approval: { ...approval, error } }];
}

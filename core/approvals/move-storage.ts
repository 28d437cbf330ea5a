import type { ActivityRecord } from '../activity/activity.ts';
import { appendedActivity } from '../activity/activity-storage.ts';
import { appendedEvent } from '../events/event-storage.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { type RowChange, remove, update } from '../state/change.ts';
import { type Approval, type ApprovalError, reportedState, transition } from './approval.ts';
import { approvals, movedColumns, waitingTargets } from './approval-state.ts';

/** Saves what changes of an approval when it moves. @param signed  what else changes when it is approved */
export function savedApproval(
  approval: Approval,
  signed: { readonly decisionSignature?: string } = {},
): RowChange {
  const { ownerId, id: approvalId } = approval;
  return update(approvals, { ownerId, approvalId }, { ...movedColumns(approval), ...signed });
}

/** Returns the writes for an approval that changed state: its row, its webhook event, and the end of its waiting. */
export function writesOfMove(
  before: Approval,
  after: Approval,
  now: Date,
  random: Random,
  signed: { readonly decisionSignature?: string } = {},
): readonly RowChange[] {
  const { ownerId, id: approvalId } = after;
  const changes: RowChange[] = [savedApproval(after, signed)];
  if (before.state === 'pending') changes.push(remove(waitingTargets, { ownerId, approvalId }));
  const state = reportedState(before, after);
  if (state !== undefined) {
    const data = { approval_id: approvalId, state, account_id: after.accountId };
    const { credentialId } = after;
    const event = {
      id: eventId(random),
      type: 'approval.decided',
      credentialId,
      createdAt: now,
      data,
    } as const;
    changes.push(appendedEvent(ownerId, event));
  }
  return changes;
}

/** Returns the writes for an approved request that ends without having started. */
export function writesOfEnd(
  before: Approval,
  after: Approval,
  now: Date,
  random: Random,
): readonly RowChange[] {
  return [...writesOfMove(before, after, now, random), settlementRow(after, now)];
}

/** Cancels the given approvals that are still pending. */
export function cancelWaiting(
  approvals: readonly Approval[],
  error: ApprovalError,
  now: Date,
  random: Random,
): readonly RowChange[] {
  return approvals.flatMap((approval) => {
    const cancelled = transition(approval, { type: 'cancel', error }, now);
    return cancelled === undefined ? [] : writesOfMove(approval, cancelled, now, random);
  });
}

/** Returns the activity row of the owner's decision. */
export function decisionRow(approval: Approval, now: Date): RowChange {
  return activityRow('decision', approval, 0, now);
}

/** Returns the activity row of a run's end. Its duration counts from its first byte, or from the approval. */
export function settlementRow(approval: Approval, now: Date): RowChange {
  const since = 'authorization' in approval ? (approval.startedAt ?? approval.authorization.at) : now;
  return activityRow('settlement', approval, Math.max(0, now.getTime() - since.getTime()), now);
}

function activityRow(
  kind: ActivityRecord['kind'],
  { ownerId, credentialId, tool, state, id }: Approval,
  durationMs: number,
  now: Date,
): RowChange {
  const said = { kind, credentialId, tool, outcome: state, approvalId: id, durationMs };
  return appendedActivity(ownerId, { ...said, shown: [], listed: [], at: now });
}

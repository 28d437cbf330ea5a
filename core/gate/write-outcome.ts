import { type Approval, isByPolicy } from '../approvals/approval.ts';
import type { CallContext } from '../call/context.ts';
import { approvalOutcome, endedOutcome, failureOf, type Outcome } from '../call/outcome.ts';
import { runFailure } from '../execution/run-end.ts';

/** Returns the answer of a write that filed an approval. */
export function writeOutcome(
  approval: Approval,
  told: Pick<CallContext, 'dashboardUrl' | 'ownerWords'>,
  now: Date,
): Outcome {
  if (!isByPolicy(approval)) return approvalOutcome(approval, told, now);
  if (approval.state === 'failed') return failureOf(runFailure(approval));
  if (approval.state === 'executed')
    return { ...endedOutcome(approval, told.ownerWords), auto_approved: true };
  return approvalOutcome(approval, told, now);
}

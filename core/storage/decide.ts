import { type Approval, type ApprovalEvent, transition } from '../approvals/approval.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, ApprovalFacts, Judged } from '../ports/store.ts';
import type { Random } from '../secrets/random.ts';
import { decisionRow, writesOfMove } from './moved.ts';
import { refusalNow } from './standing.ts';

type Decided = Awaited<ReturnType<Storage['decide']>>;
type Decision = Parameters<Storage['decide']>[0];

/** Approves or rejects for the owner. */
export function decide(
  facts: ApprovalFacts | undefined,
  { decision, decidedIn, leaseMs, signer, now }: Decision,
  storeNowMs: number,
  random: Random,
): Judged<Decided> {
  if (facts === undefined) return { answer: undefined, changes: [] };
  const { approval: before, standing } = facts;
  const event: ApprovalEvent =
    decision.type === 'reject'
      ? { type: 'reject', rejection: decision.rejection, decidedIn }
      : {
          type: 'approve',
          digest: decision.digest,
          edited: decision.edited,
          decidedIn,
          allowed: refusalNow(standing, before, decision.reach, signer, now) === undefined,
          leaseUntilMs: storeNowMs + leaseMs,
        };
  const after = transition(before, event, now);
  if (after === undefined) return { answer: { approval: before, won: false, sealedPlan: null }, changes: [] };
  const edited = decision.type === 'approve' ? decision.edited : undefined;
  const sealedPlan = decision.type === 'approve' ? (edited?.sealedPlan ?? facts.sealedPlan) : null;
  const changes: AnyChange[] = [...writesOfMove(before, after, now, random), decisionRow(after, now)];
  if (edited !== undefined) {
    const { ownerId, id: approvalId } = after;
    const { sealedGist, sealedAsked } = edited;
    changes.push({
      type: 'replace_plan',
      ownerId,
      approvalId,
      plan: { sealedPlan: edited.sealedPlan, sealedGist, sealedAsked },
    });
  }
  return { answer: { approval: after, won: true, sealedPlan }, changes };
}

/** Withdraws a request for its own key. */
export function cancel(
  facts: ApprovalFacts | undefined,
  { credentialId, now }: { credentialId: string; now: Date },
  random: Random,
): Judged<{ readonly approval: Approval; readonly won: boolean } | undefined> {
  if (facts?.approval.credentialId !== credentialId) return { answer: undefined, changes: [] };
  const { approval: before } = facts;
  const after = transition(before, { type: 'cancel', error: 'cancelled_by_agent' }, now);
  if (after === undefined) return { answer: { approval: before, won: false }, changes: [] };
  return {
    answer: { approval: after, won: after.state === 'cancelled' },
    changes: writesOfMove(before, after, now, random),
  };
}

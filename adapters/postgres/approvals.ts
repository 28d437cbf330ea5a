import { type Approval, type ApprovalEvent, newApproval, transition } from '../../core/approval.ts';
import { decideCall } from '../../core/decide-call.ts';
import type { Settlement, Storage } from '../../core/ports/storage.ts';
import { activityOf, settlementOf } from '../rows/activity.ts';
import { isAllowed } from '../rows/credential.ts';
import { recordActivity } from './activity.ts';
import { addApproval, changeApproval, findApproval, findPlan } from './approval-table.ts';
import { readFacts } from './call-facts.ts';
import { bindClaim, holdsClaim } from './claims.ts';
import { standingOf } from './credential-row.ts';
import { type Database, durable, type Transaction } from './database.ts';
import { lockOwner } from './owner-lock.ts';
import { rememberRecipients } from './recipients.ts';

const ADD_FOLLOW_UP =
  'INSERT INTO countersign.follow_ups (owner_id, approval_id, due_at_ms) VALUES ($1, $2, $3)';

const ADD_RELOCATED = `
  INSERT INTO countersign.relocated_messages (owner_id, mark)
  SELECT $1::text, mark FROM unnest($2::text[]) AS added (mark) ON CONFLICT DO NOTHING`;

/** The verbs that move an approval, but for those of recovery. */
export function postgresApprovals(
  db: Database,
): Pick<Storage, 'file' | 'decide' | 'cancel' | 'start' | 'settle'> {
  const allowed = async (tx: Transaction, approval: Approval, now: Date): Promise<boolean> =>
    isAllowed(await standingOf(tx, approval.ownerId, approval.credentialId, approval.group, now));

  return {
    file: durable(db, async (tx, filing) => {
      const { ownerId, credentialId, claim, now } = filing;
      const storeNowMs = await lockOwner(tx, ownerId);
      // Somebody else has won the claim since: the request is theirs to file.
      if (claim !== null && !(await holdsClaim(tx, filing, claim))) {
        return { kind: 'refuse', code: 'idempotency_in_progress', details: {} };
      }
      const standing = await standingOf(tx, ownerId, credentialId, filing.group, now);
      if (standing === undefined) return { kind: 'refuse', code: 'invalid_token', details: {} };
      const facts = await readFacts(tx, filing, standing.mode);
      const verdict = decideCall(facts, filing.call, standing.limits, now);
      if (verdict.kind === 'existing' || verdict.kind === 'refuse') return verdict;
      const approval = newApproval(
        {
          ownerId,
          id: filing.approvalId,
          credentialId,
          accountId: filing.accountId,
          tool: filing.tool,
          group: filing.group,
          action: filing.action,
          digest: filing.digest,
        },
        verdict,
        storeNowMs + filing.leaseMs,
        now,
      );
      await addApproval(tx, approval, filing);
      if (claim !== null) await bindClaim(tx, filing, claim, approval.id);
      return { kind: verdict.kind, approval };
    }),

    decide: durable(db, async (tx, { ownerId, approvalId, decision, leaseMs, now }) => {
      const storeNowMs = await lockOwner(tx, ownerId);
      const before = await findApproval(tx, ownerId, approvalId);
      if (before === undefined) return undefined;
      const event: ApprovalEvent =
        decision.type === 'reject'
          ? decision
          : {
              ...decision,
              allowed: await allowed(tx, before, now),
              leaseUntilMs: storeNowMs + leaseMs,
            };
      const after = transition(before, event, now);
      if (after === undefined) return { approval: before, won: false, sealedPlan: null };
      const [sealedPlan] = await Promise.all([
        decision.type === 'approve' ? findPlan(tx, ownerId, approvalId) : null,
        changeApproval(tx, before, after, now),
        recordActivity(tx, ownerId, activityOf('decision', after, 0), now),
      ]);
      return { approval: after, won: true, sealedPlan };
    }),

    cancel: durable(db, async (tx, { ownerId, credentialId, approvalId, now }) => {
      await lockOwner(tx, ownerId);
      const before = await findApproval(tx, ownerId, approvalId);
      if (before === undefined || before.credentialId !== credentialId) return undefined;
      const after = transition(before, { type: 'cancel', error: 'cancelled_by_agent' }, now);
      if (after === undefined) return { approval: before, won: false };
      await changeApproval(tx, before, after, now);
      return { approval: after, won: after.state === 'cancelled' };
    }),

    start: durable(db, async (tx, { ownerId, approvalId, fence, relocated, now }) => {
      await lockOwner(tx, ownerId);
      const before = await findApproval(tx, ownerId, approvalId);
      if (before === undefined) return false;
      const event = { type: 'start', fence, allowed: await allowed(tx, before, now) } as const;
      const after = transition(before, event, now);
      if (after === undefined) return false;
      await changeApproval(tx, before, after, now);
      if (relocated.length > 0) await tx.run(ADD_RELOCATED, [ownerId, relocated]);
      return true;
    }),

    settle: durable(db, async (tx, settlement) => {
      const { ownerId, approvalId, fence, end, recipients, followUp, leaseMs, now } = settlement;
      const storeNowMs = await lockOwner(tx, ownerId);
      const before = await findApproval(tx, ownerId, approvalId);
      if (before === undefined) throw new Error('There is no such approval to settle.');
      const after = transition(before, eventOf(end, fence, storeNowMs), now);
      if (after === undefined) return before;
      const { accountId, state } = after;
      const isDone = state === 'executed';
      await Promise.all([
        changeApproval(tx, before, after, now),
        state === before.state ? undefined : recordActivity(tx, ownerId, settlementOf(after, now), now),
        isDone && accountId !== null
          ? rememberRecipients(tx, ownerId, accountId, recipients, now)
          : undefined,
        isDone && followUp ? tx.run(ADD_FOLLOW_UP, [ownerId, approvalId, storeNowMs + leaseMs]) : undefined,
      ]);
      return after;
    }),
  };
}

function eventOf(end: Settlement['end'], fence: number, storeNowMs: number): ApprovalEvent {
  if (end.type !== 'not_now') return { ...end, fence };
  return { type: 'not_now', fence, error: end.error, retryAtMs: storeNowMs + end.retryMs };
}

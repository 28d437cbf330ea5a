import type { Database } from 'better-sqlite3';
import { type Approval, type ApprovalEvent, newApproval, transition } from '../../core/approval.ts';
import { decideCall } from '../../core/decide-call.ts';
import type { Settlement, Storage } from '../../core/ports/storage.ts';
import { activityOf, settlementOf } from '../rows/activity.ts';
import { isAllowed } from '../rows/credential.ts';
import { activityWriter } from './activity.ts';
import type { ApprovalTable } from './approval-table.ts';
import { factsReader } from './call-facts.ts';
import type { ClaimTable } from './claims.ts';
import { standingReader } from './credential-row.ts';
import { durable, storeNowMs } from './database.ts';
import { recipientWriter } from './recipients.ts';

/** The verbs that move an approval, but for those of recovery. */
export function sqliteApprovals(
  db: Database,
  approvals: ApprovalTable,
  claims: ClaimTable,
): Pick<Storage, 'file' | 'decide' | 'cancel' | 'start' | 'settle'> {
  const readFacts = factsReader(db);
  const standingOf = standingReader(db);
  const record = activityWriter(db);
  const remember = recipientWriter(db);
  const addFollowUp = db.prepare(
    'INSERT INTO follow_ups (owner_id, approval_id, due_at_ms) VALUES (?, ?, ?)',
  );
  const addRelocated = db.prepare(
    'INSERT INTO relocated_messages (owner_id, mark) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );

  const allowed = (approval: Approval, now: Date): boolean =>
    isAllowed(standingOf(approval.ownerId, approval.credentialId, approval.group, now));

  return {
    file: durable(db, (filing) => {
      const { ownerId, credentialId, claim, now } = filing;
      // Somebody else has won the claim since: the request is theirs to file.
      if (claim !== null && !claims.holds(filing, claim)) {
        return { kind: 'refuse', code: 'idempotency_in_progress', details: {} };
      }
      const standing = standingOf(ownerId, credentialId, filing.group, now);
      if (standing === undefined) return { kind: 'refuse', code: 'invalid_token', details: {} };
      const verdict = decideCall(readFacts(filing, standing.mode), filing.call, standing.limits, now);
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
        storeNowMs() + filing.leaseMs,
        now,
      );
      approvals.add(approval, filing);
      if (claim !== null) claims.bind(filing, claim, approval.id);
      return { kind: verdict.kind, approval };
    }),

    decide: durable(db, ({ ownerId, approvalId, decision, leaseMs, now }) => {
      const before = approvals.find(ownerId, approvalId);
      if (before === undefined) return undefined;
      const event: ApprovalEvent =
        decision.type === 'reject'
          ? decision
          : { ...decision, allowed: allowed(before, now), leaseUntilMs: storeNowMs() + leaseMs };
      const after = transition(before, event, now);
      if (after === undefined) return { approval: before, won: false, sealedPlan: null };
      approvals.change(before, after, now);
      record(ownerId, activityOf('decision', after, 0), now);
      const sealedPlan = decision.type === 'approve' ? approvals.plan(ownerId, approvalId) : null;
      return { approval: after, won: true, sealedPlan };
    }),

    cancel: durable(db, ({ ownerId, credentialId, approvalId, now }) => {
      const before = approvals.find(ownerId, approvalId);
      if (before === undefined || before.credentialId !== credentialId) return undefined;
      const after = transition(before, { type: 'cancel', error: 'cancelled_by_agent' }, now);
      if (after === undefined) return { approval: before, won: false };
      approvals.change(before, after, now);
      return { approval: after, won: after.state === 'cancelled' };
    }),

    start: durable(db, ({ ownerId, approvalId, fence, relocated, now }) => {
      const before = approvals.find(ownerId, approvalId);
      if (before === undefined) return false;
      const after = transition(before, { type: 'start', fence, allowed: allowed(before, now) }, now);
      if (after === undefined) return false;
      approvals.change(before, after, now);
      for (const mark of relocated) addRelocated.run(ownerId, mark);
      return true;
    }),

    settle: durable(db, ({ ownerId, approvalId, fence, end, recipients, followUp, leaseMs, now }) => {
      const before = approvals.find(ownerId, approvalId);
      if (before === undefined) throw new Error('There is no such approval to settle.');
      const after = transition(before, eventOf(end, fence), now);
      if (after === undefined) return before;
      approvals.change(before, after, now);
      if (after.state !== before.state) record(ownerId, settlementOf(after, now), now);
      if (after.state === 'executed') {
        if (after.accountId !== null) remember(ownerId, after.accountId, recipients, now);
        if (followUp) addFollowUp.run(ownerId, approvalId, storeNowMs() + leaseMs);
      }
      return after;
    }),
  };
}

function eventOf(end: Settlement['end'], fence: number): ApprovalEvent {
  if (end.type !== 'not_now') return { ...end, fence };
  return { type: 'not_now', fence, error: end.error, retryAtMs: storeNowMs() + end.retryMs };
}

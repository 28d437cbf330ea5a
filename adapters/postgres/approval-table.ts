import { type Approval, type ApprovalError, toldAs, transition } from '../../core/approval.ts';
import type { Filing } from '../../core/ports/storage.ts';
import { readApproval } from '../rows/approval.ts';
import { text } from '../rows/row.ts';
import type { Queries, Transaction } from './database.ts';
import { tellOf } from './events.ts';

/** Rows of approvals. What writes is for use inside the transactions of the verbs, which have locked the owner. */

const FIND = 'SELECT * FROM countersign.approvals WHERE owner_id = $1 AND approval_id = $2';
const FIND_PLAN = 'SELECT sealed_plan FROM countersign.plans WHERE owner_id = $1 AND approval_id = $2';

export async function findApproval(
  db: Queries,
  ownerId: string,
  approvalId: string,
): Promise<Approval | undefined> {
  const row = await db.row(FIND, [ownerId, approvalId]);
  return row && readApproval(row);
}

export async function findPlan(db: Queries, ownerId: string, approvalId: string): Promise<string | null> {
  const row = await db.row(FIND_PLAN, [ownerId, approvalId]);
  return row === undefined ? null : text(row, 'sealed_plan');
}

const INSERT = `
  INSERT INTO countersign.approvals (owner_id, approval_id, credential_id, account_id, tool, permission_group, action,
    state, reasons, approved_by, created_at_ms, expires_at_ms, approved_at_ms, fence, lease_until_ms, digest,
    request_hash, similar_hash, asked, sends)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`;
const INSERT_PLAN = 'INSERT INTO countersign.plans (owner_id, approval_id, sealed_plan) VALUES ($1, $2, $3)';
const INSERT_TARGETS = `
  INSERT INTO countersign.waiting_targets (owner_id, target, approval_id)
  SELECT $1::text, target, $3::text FROM unnest($2::text[]) AS named (target)
  ON CONFLICT DO NOTHING`;

/** Writes what `file` made, with its plan. */
export async function addApproval(tx: Transaction, approval: Approval, filing: Filing): Promise<void> {
  const isPending = approval.state === 'pending';
  await Promise.all([
    tx.run(INSERT, [
      approval.ownerId,
      approval.id,
      approval.credentialId,
      approval.accountId,
      approval.tool,
      approval.group,
      approval.action,
      approval.state,
      JSON.stringify(approval.reasons),
      approval.approvedBy,
      approval.createdAt.getTime(),
      approval.expiresAt.getTime(),
      approval.approvedAt?.getTime() ?? null,
      approval.lease.fence,
      approval.lease.untilMs,
      approval.digest,
      filing.requestHash,
      filing.similarHash,
      isPending,
      filing.call.sends,
    ]),
    tx.run(INSERT_PLAN, [approval.ownerId, approval.id, filing.sealedPlan]),
    isPending ? tx.run(INSERT_TARGETS, [approval.ownerId, filing.targets, approval.id]) : undefined,
  ]);
}

const UPDATE = `
  UPDATE countersign.approvals SET state = $3, approved_by = $4, decided_at_ms = $5, approved_at_ms = $6,
    started_at_ms = $7, executed_at_ms = $8, ended_at_ms = $9, fence = $10, lease_until_ms = $11, result = $12,
    error = $13
  WHERE owner_id = $1 AND approval_id = $2`;
const DELETE_TARGETS = 'DELETE FROM countersign.waiting_targets WHERE owner_id = $1 AND approval_id = $2';

/** Writes what a transition made, with the event that tells of it. */
export async function changeApproval(
  tx: Transaction,
  before: Approval,
  after: Approval,
  now: Date,
): Promise<void> {
  const told = toldAs(before, after);
  await Promise.all([
    tx.run(UPDATE, [
      before.ownerId,
      before.id,
      after.state,
      after.approvedBy,
      after.decidedAt?.getTime() ?? null,
      after.approvedAt?.getTime() ?? null,
      after.startedAt?.getTime() ?? null,
      after.executedAt?.getTime() ?? null,
      after.endedAt?.getTime() ?? null,
      after.lease.fence,
      after.lease.untilMs,
      after.result === null ? null : JSON.stringify(after.result),
      after.error,
    ]),
    before.state === 'pending' ? tx.run(DELETE_TARGETS, [before.ownerId, before.id]) : undefined,
    told === undefined ? undefined : tellOf(tx, after, told, now),
  ]);
}

const WAITING = `
  SELECT * FROM countersign.approvals WHERE owner_id = $1 AND ended_at_ms IS NULL AND state = 'pending'
  ORDER BY created_at_ms, approval_id`;

/** The owner's pending approvals. */
export async function waitingApprovals(tx: Transaction, ownerId: string): Promise<readonly Approval[]> {
  return (await tx.rows(WAITING, [ownerId])).map(readApproval);
}

/** Cancels those of these that still wait. */
export async function cancelWaiting(
  tx: Transaction,
  approvals: readonly Approval[],
  error: ApprovalError,
  now: Date,
): Promise<void> {
  for (const approval of approvals) {
    const cancelled = transition(approval, { type: 'cancel', error }, now);
    if (cancelled !== undefined) await changeApproval(tx, approval, cancelled, now);
  }
}

import type { Database } from 'better-sqlite3';
import { type Approval, type ApprovalError, toldAs, transition } from '../../core/approval.ts';
import type { Filing } from '../../core/ports/storage.ts';
import { readApproval } from '../rows/approval.ts';
import { type Row, text } from '../rows/row.ts';
import { eventWriter } from './events.ts';

/** Rows of approvals, for use inside the transactions of the verbs that move them. */
export interface ApprovalTable {
  find(ownerId: string, approvalId: string): Approval | undefined;
  plan(ownerId: string, approvalId: string): string | null;
  /** Writes what `file` made, with its plan. */
  add(approval: Approval, filing: Filing): void;
  /** Writes what a transition made, with the event that tells of it. */
  change(before: Approval, after: Approval, now: Date): void;
  /** Cancels the owner's pending approvals that `concerns` picks. */
  cancelWaiting(
    ownerId: string,
    concerns: (approval: Approval) => boolean,
    error: ApprovalError,
    now: Date,
  ): void;
}

export function approvalTable(db: Database): ApprovalTable {
  const find = db.prepare<[string, string], Row>(
    'SELECT * FROM approvals WHERE owner_id = ? AND approval_id = ?',
  );
  const plan = db.prepare<[string, string], Row>(
    'SELECT sealed_plan FROM plans WHERE owner_id = ? AND approval_id = ?',
  );
  const waiting = db.prepare<[string], Row>(
    `SELECT * FROM approvals INDEXED BY approvals_open
    WHERE owner_id = ? AND ended_at_ms IS NULL AND state = 'pending'`,
  );
  const insert = db.prepare(`
    INSERT INTO approvals (owner_id, approval_id, credential_id, account_id, tool, permission_group, action, state,
      reasons, approved_by, created_at_ms, expires_at_ms, approved_at_ms, fence, lease_until_ms, digest, request_hash,
      similar_hash, asked, sends)
    VALUES (@ownerId, @approvalId, @credentialId, @accountId, @tool, @group, @action, @state,
      @reasons, @approvedBy, @createdAtMs, @expiresAtMs, @approvedAtMs, @fence, @leaseUntilMs, @digest, @requestHash,
      @similarHash, @asked, @sends)`);
  const insertPlan = db.prepare('INSERT INTO plans (owner_id, approval_id, sealed_plan) VALUES (?, ?, ?)');
  const insertTarget = db.prepare(
    'INSERT INTO waiting_targets (owner_id, target, approval_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = db.prepare(`
    UPDATE approvals SET state = @state, approved_by = @approvedBy, decided_at_ms = @decidedAtMs,
      approved_at_ms = @approvedAtMs, started_at_ms = @startedAtMs, executed_at_ms = @executedAtMs,
      ended_at_ms = @endedAtMs, fence = @fence, lease_until_ms = @leaseUntilMs, result = @result, error = @error
    WHERE owner_id = @ownerId AND approval_id = @approvalId`);
  const deleteTargets = db.prepare('DELETE FROM waiting_targets WHERE owner_id = ? AND approval_id = ?');
  const tell = eventWriter(db);

  const change: ApprovalTable['change'] = (before, after, now) => {
    update.run({
      ownerId: before.ownerId,
      approvalId: before.id,
      state: after.state,
      approvedBy: after.approvedBy,
      decidedAtMs: after.decidedAt?.getTime() ?? null,
      approvedAtMs: after.approvedAt?.getTime() ?? null,
      startedAtMs: after.startedAt?.getTime() ?? null,
      executedAtMs: after.executedAt?.getTime() ?? null,
      endedAtMs: after.endedAt?.getTime() ?? null,
      fence: after.lease.fence,
      leaseUntilMs: after.lease.untilMs,
      result: after.result === null ? null : JSON.stringify(after.result),
      error: after.error,
    });
    if (before.state === 'pending') deleteTargets.run(before.ownerId, before.id);
    const told = toldAs(before, after);
    if (told !== undefined) tell(after, told, now);
  };

  return {
    find(ownerId, approvalId) {
      const row = find.get(ownerId, approvalId);
      return row === undefined ? undefined : readApproval(row);
    },
    plan(ownerId, approvalId) {
      const row = plan.get(ownerId, approvalId);
      return row === undefined ? null : text(row, 'sealed_plan');
    },
    add(approval, filing) {
      insert.run({
        ownerId: approval.ownerId,
        approvalId: approval.id,
        credentialId: approval.credentialId,
        accountId: approval.accountId,
        tool: approval.tool,
        group: approval.group,
        action: approval.action,
        state: approval.state,
        reasons: JSON.stringify(approval.reasons),
        approvedBy: approval.approvedBy,
        createdAtMs: approval.createdAt.getTime(),
        expiresAtMs: approval.expiresAt.getTime(),
        approvedAtMs: approval.approvedAt?.getTime() ?? null,
        fence: approval.lease.fence,
        leaseUntilMs: approval.lease.untilMs,
        digest: approval.digest,
        requestHash: filing.requestHash,
        similarHash: filing.similarHash,
        asked: approval.state === 'pending' ? 1 : 0,
        sends: filing.call.sends ? 1 : 0,
      });
      insertPlan.run(approval.ownerId, approval.id, filing.sealedPlan);
      if (approval.state === 'pending') {
        for (const target of filing.targets) insertTarget.run(approval.ownerId, target, approval.id);
      }
    },
    change,
    cancelWaiting(ownerId, concerns, error, now) {
      for (const approval of waiting.all(ownerId).map(readApproval).filter(concerns)) {
        const cancelled = transition(approval, { type: 'cancel', error }, now);
        if (cancelled !== undefined) change(approval, cancelled, now);
      }
    },
  };
}

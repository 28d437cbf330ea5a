import type { Database } from 'better-sqlite3';
import { transition } from '../../core/approval.ts';
import type { Reclaimed, Storage } from '../../core/ports/storage.ts';
import { settlementOf } from '../rows/activity.ts';
import { readApproval } from '../rows/approval.ts';
import { type Row, text } from '../rows/row.ts';
import { activityEraser, activityWriter } from './activity.ts';
import type { ApprovalTable } from './approval-table.ts';
import { atomic, durable, storeNowMs } from './database.ts';

/** The verbs of the background: what lapsed, what expired, what is to be forgotten. */
export function sqliteRecovery(
  db: Database,
  approvals: ApprovalTable,
): Pick<Storage, 'followedUp' | 'followUpLater' | 'reclaim' | 'expire' | 'erase'> {
  const record = activityWriter(db);
  const eraseActivity = activityEraser(db);
  const lapsed = db.prepare<[number, string, number], Row>(`
    SELECT * FROM approvals
    WHERE state = 'approved' AND lease_until_ms <= ? AND approval_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY lease_until_ms LIMIT ?`);
  const dueFollowUps = db.prepare<[number, string, number], Row>(`
    SELECT owner_id, approval_id FROM follow_ups
    WHERE due_at_ms <= ? AND approval_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY due_at_ms LIMIT ?`);
  const setDue = db.prepare('UPDATE follow_ups SET due_at_ms = ? WHERE owner_id = ? AND approval_id = ?');
  const deleteFollowUp = db.prepare('DELETE FROM follow_ups WHERE owner_id = ? AND approval_id = ?');
  const overdue = db.prepare<[number], Row>(
    "SELECT * FROM approvals WHERE state = 'pending' AND expires_at_ms <= ? ORDER BY expires_at_ms",
  );
  const erasable = db.prepare<[number], Row>(
    'SELECT owner_id, approval_id FROM approvals WHERE has_plan = 1 AND ended_at_ms < ?',
  );
  const deletePlan = db.prepare('DELETE FROM plans WHERE owner_id = ? AND approval_id = ?');
  const noteErased = db.prepare('UPDATE approvals SET has_plan = 0 WHERE owner_id = ? AND approval_id = ?');
  const eraseClaims = db.prepare('DELETE FROM claims WHERE created_at_ms < ?');
  const erasePasswordTries = db.prepare('DELETE FROM password_tries WHERE forgotten_ms < ?');

  return {
    followedUp: atomic(db, ({ ownerId, approvalId }) => {
      deleteFollowUp.run(ownerId, approvalId);
    }),

    followUpLater: atomic(db, ({ ownerId, approvalId, retryMs }) => {
      setDue.run(storeNowMs() + retryMs, ownerId, approvalId);
    }),

    reclaim: durable(db, ({ running, leaseMs, limit, now }) => {
      const nowMs = storeNowMs();
      const leaseUntilMs = nowMs + leaseMs;
      const own = JSON.stringify([...running]);
      const runs: Reclaimed[] = [];
      for (const before of lapsed.all(nowMs, own, limit).map(readApproval)) {
        const after = transition(before, { type: 'reclaim', storeNowMs: nowMs, leaseUntilMs }, now);
        if (after === undefined) continue;
        approvals.change(before, after, now);
        if (after.state === 'approved') {
          runs.push({ approval: after, sealedPlan: approvals.plan(after.ownerId, after.id) });
        } else {
          record(after.ownerId, settlementOf(after, now), now);
        }
      }
      const followUps: Reclaimed[] = [];
      for (const row of dueFollowUps.all(nowMs, own, limit - runs.length)) {
        const ownerId = text(row, 'owner_id');
        const approvalId = text(row, 'approval_id');
        const approval = approvals.find(ownerId, approvalId);
        if (approval === undefined) throw new Error('The approval of a follow-up is not in the database.');
        setDue.run(leaseUntilMs, ownerId, approvalId);
        followUps.push({ approval, sealedPlan: approvals.plan(ownerId, approvalId) });
      }
      return { runs, followUps };
    }),

    expire: durable(db, (now) => {
      let ended = 0;
      for (const before of overdue.all(now.getTime()).map(readApproval)) {
        const after = transition(before, { type: 'expire' }, now);
        if (after === undefined) continue;
        approvals.change(before, after, now);
        ended += 1;
      }
      return ended;
    }),

    erase: atomic(db, ({ plansBefore, activityBefore, claimsBefore, passwordTriesBefore }) => {
      for (const row of erasable.all(plansBefore.getTime())) {
        const key = [text(row, 'owner_id'), text(row, 'approval_id')];
        deletePlan.run(...key);
        noteErased.run(...key);
      }
      eraseActivity(activityBefore);
      eraseClaims.run(claimsBefore.getTime());
      erasePasswordTries.run(passwordTriesBefore.getTime());
    }),
  };
}

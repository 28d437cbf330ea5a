import { transition } from '../../core/approval.ts';
import type { Reclaimed, Storage } from '../../core/ports/storage.ts';
import { settlementOf } from '../rows/activity.ts';
import { readApproval } from '../rows/approval.ts';
import { text } from '../rows/row.ts';
import { recordActivity } from './activity.ts';
import { changeApproval, findApproval, findPlan } from './approval-table.ts';
import { atomic, type Database, durable, type Transaction } from './database.ts';
import { lockOwner, lockOwners, STORE_NOW_MS } from './owner-lock.ts';

const LAPSED = `
  SELECT * FROM countersign.approvals
  WHERE state = 'approved' AND lease_until_ms <= $1 AND approval_id <> ALL($2::text[]) AND owner_id = ANY($3::text[])
  ORDER BY lease_until_ms LIMIT $4`;
const DUE_FOLLOW_UPS = `
  SELECT owner_id, approval_id FROM countersign.follow_ups
  WHERE due_at_ms <= $1 AND approval_id <> ALL($2::text[]) AND owner_id = ANY($3::text[])
  ORDER BY due_at_ms LIMIT $4`;
const OWNERS_OF_LAPSED = `
  (SELECT owner_id FROM countersign.approvals
    WHERE state = 'approved' AND lease_until_ms <= ${STORE_NOW_MS} AND approval_id <> ALL($1::text[])
    ORDER BY lease_until_ms LIMIT $2)
  UNION
  (SELECT owner_id FROM countersign.follow_ups
    WHERE due_at_ms <= ${STORE_NOW_MS} AND approval_id <> ALL($1::text[])
    ORDER BY due_at_ms LIMIT $2)`;
const SET_DUE = 'UPDATE countersign.follow_ups SET due_at_ms = $3 WHERE owner_id = $1 AND approval_id = $2';
const DELETE_FOLLOW_UP = 'DELETE FROM countersign.follow_ups WHERE owner_id = $1 AND approval_id = $2';
const OWNERS_OF_OVERDUE =
  "SELECT DISTINCT owner_id FROM countersign.approvals WHERE state = 'pending' AND expires_at_ms <= $1";
const OVERDUE = `
  SELECT * FROM countersign.approvals
  WHERE state = 'pending' AND expires_at_ms <= $1 AND owner_id = ANY($2::text[]) ORDER BY expires_at_ms`;

/** Rows that one statement erases: so none takes longer than a statement may. */
const ERASED_AT_ONCE = 5000;
/** Who else erases at that moment, erases others. */
const ERASE_PLANS = `
  WITH old AS (
    SELECT owner_id, approval_id FROM countersign.approvals WHERE has_plan AND ended_at_ms < $1
    LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED),
  erased AS (
    DELETE FROM countersign.plans p USING old WHERE p.owner_id = old.owner_id AND p.approval_id = old.approval_id)
  UPDATE countersign.approvals a SET has_plan = false
  FROM old WHERE a.owner_id = old.owner_id AND a.approval_id = old.approval_id`;
const ERASE_ACTIVITY = `
  DELETE FROM countersign.activity WHERE (owner_id, activity_id) IN (
    SELECT owner_id, activity_id FROM countersign.activity WHERE at_ms < $1
    LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;
const ERASE_CLAIMS = `
  DELETE FROM countersign.claims WHERE (owner_id, credential_id, key) IN (
    SELECT owner_id, credential_id, key FROM countersign.claims WHERE created_at_ms < $1
    LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;
const ERASE_PASSWORD_TRIES = `
  DELETE FROM countersign.password_tries WHERE row_number IN (
    SELECT row_number FROM countersign.password_tries WHERE forgotten_ms < $1
    LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;

/** The verbs of the background: what lapsed, what expired, what is to be forgotten. */
export function postgresRecovery(
  db: Database,
): Pick<Storage, 'followedUp' | 'followUpLater' | 'reclaim' | 'expire' | 'erase'> {
  return {
    followedUp: atomic(db, async (tx, { ownerId, approvalId }) => {
      await lockOwner(tx, ownerId);
      await tx.run(DELETE_FOLLOW_UP, [ownerId, approvalId]);
    }),

    followUpLater: atomic(db, async (tx, { ownerId, approvalId, retryMs }) => {
      const nowMs = await lockOwner(tx, ownerId);
      await tx.run(SET_DUE, [ownerId, approvalId, nowMs + retryMs]);
    }),

    reclaim: durable(db, async (tx, { running, leaseMs, limit, now }) => {
      const own = [...running];
      const due = await tx.rows(OWNERS_OF_LAPSED, [own, limit]);
      if (due.length === 0) return { runs: [], followUps: [] };
      const { ownerIds, nowMs } = await lockOwners(
        tx,
        due.map((row) => text(row, 'owner_id')),
      );
      const leaseUntilMs = nowMs + leaseMs;
      const runs: Reclaimed[] = [];
      const lapsed = await tx.rows(LAPSED, [nowMs, own, ownerIds, limit]);
      for (const before of lapsed.map(readApproval)) {
        const after = transition(before, { type: 'reclaim', storeNowMs: nowMs, leaseUntilMs }, now);
        if (after === undefined) continue;
        await changeApproval(tx, before, after, now);
        if (after.state === 'approved') {
          runs.push({ approval: after, sealedPlan: await findPlan(tx, after.ownerId, after.id) });
        } else {
          await recordActivity(tx, after.ownerId, settlementOf(after, now), now);
        }
      }
      const followUps: Reclaimed[] = [];
      for (const row of await tx.rows(DUE_FOLLOW_UPS, [nowMs, own, ownerIds, limit - runs.length])) {
        const ownerId = text(row, 'owner_id');
        const approvalId = text(row, 'approval_id');
        const approval = await findApproval(tx, ownerId, approvalId);
        if (approval === undefined) throw new Error('The approval of a follow-up is not in the database.');
        await tx.run(SET_DUE, [ownerId, approvalId, leaseUntilMs]);
        followUps.push({ approval, sealedPlan: await findPlan(tx, ownerId, approvalId) });
      }
      return { runs, followUps };
    }),

    expire: durable(db, async (tx, now) => {
      const due = await tx.rows(OWNERS_OF_OVERDUE, [now.getTime()]);
      if (due.length === 0) return 0;
      const { ownerIds } = await lockOwners(
        tx,
        due.map((row) => text(row, 'owner_id')),
      );
      let ended = 0;
      for (const before of (await tx.rows(OVERDUE, [now.getTime(), ownerIds])).map(readApproval)) {
        const after = transition(before, { type: 'expire' }, now);
        if (after === undefined) continue;
        await changeApproval(tx, before, after, now);
        ended += 1;
      }
      return ended;
    }),

    erase: atomic(db, async (tx, { plansBefore, activityBefore, claimsBefore, passwordTriesBefore }) => {
      await eraseAll(tx, ERASE_PLANS, plansBefore);
      await eraseAll(tx, ERASE_ACTIVITY, activityBefore);
      await eraseAll(tx, ERASE_CLAIMS, claimsBefore);
      await eraseAll(tx, ERASE_PASSWORD_TRIES, passwordTriesBefore);
    }),
  };
}

async function eraseAll(tx: Transaction, statement: string, before: Date): Promise<void> {
  while ((await tx.run(statement, [before.getTime()])) > 0);
}

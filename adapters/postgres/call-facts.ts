import {
  type CallFacts,
  EXECUTED_LATELY_MS,
  REJECTED_MS,
  SAME_UNFINISHED_MS,
  SENDS_DAY_MS,
  SENDS_SHORT_MS,
} from '../../core/decide-call.ts';
import { DAY_MS, nextUtcMidnight } from '../../core/limits.ts';
import type { Mode } from '../../core/permissions.ts';
import type { Filing } from '../../core/ports/storage.ts';
import { readApproval } from '../rows/approval.ts';
import { flag, instantOrNull, integer, type Row } from '../rows/row.ts';
import type { Transaction } from './database.ts';

const SAME_PENDING = `
  SELECT * FROM countersign.approvals
  WHERE owner_id = $1 AND request_hash = $2 AND state = 'pending' AND credential_id = $3 AND expires_at_ms > $4`;
const SAME_UNFINISHED = `
  SELECT * FROM countersign.approvals
  WHERE owner_id = $1 AND request_hash = $2 AND state IN ('approved', 'outcome_unknown') AND credential_id = $3
    AND (ended_at_ms IS NULL OR ended_at_ms > $4)
  ORDER BY created_at_ms DESC`;
const OF_THE_OWNER = `
  SELECT
    (SELECT max(ended_at_ms) FROM countersign.approvals
      WHERE owner_id = $1 AND (request_hash = $2 OR similar_hash = $7) AND state = 'rejected' AND ended_at_ms > $4)
      AS rejected_at_ms,
    EXISTS (SELECT 1 FROM countersign.approvals
      WHERE owner_id = $1 AND request_hash = $2 AND state = 'executed' AND ended_at_ms > $5) AS executed,
    EXISTS (SELECT 1 FROM countersign.approvals
      WHERE owner_id = $1 AND request_hash = $2 AND state IN ('approved', 'outcome_unknown') AND credential_id <> $3
        AND (ended_at_ms IS NULL OR ended_at_ms > $6)) AS unfinished_elsewhere`;
const TARGET_PENDING = `
  SELECT a.* FROM countersign.waiting_targets w
  JOIN countersign.approvals a ON a.owner_id = w.owner_id AND a.approval_id = w.approval_id
  WHERE w.owner_id = $1 AND w.target = ANY($2::text[])
    AND a.credential_id = $3 AND a.state = 'pending' AND a.expires_at_ms > $4`;
// A send that failed was not sent. One whose outcome is unknown may have been.
const DIRECT_SENDS = `
  SELECT count(*) AS day, count(*) FILTER (WHERE created_at_ms > $4) AS short
  FROM countersign.approvals
  WHERE owner_id = $1 AND credential_id = $2 AND NOT asked AND sends AND created_at_ms > $3 AND state <> 'failed'`;
const FILED = `
  SELECT count(*) AS today FROM countersign.approvals
  WHERE owner_id = $1 AND credential_id = $2 AND asked AND created_at_ms >= $3`;
const WAITING = `
  SELECT count(*) AS of_owner, count(*) FILTER (WHERE credential_id = $2) AS of_key
  FROM countersign.approvals
  WHERE owner_id = $1 AND ended_at_ms IS NULL AND state = 'pending' AND expires_at_ms > $3`;

/** Reads what `decideCall` judges, inside the transaction that files, in one go. */
export async function readFacts(tx: Transaction, filing: Filing, mode: Mode | undefined): Promise<CallFacts> {
  const { ownerId, credentialId, requestHash, similarHash, targets, group, now } = filing;
  const nowMs = now.getTime();
  const same = [ownerId, requestHash, credentialId];
  const key = [ownerId, credentialId];
  const unfinishedSinceMs = nowMs - SAME_UNFINISHED_MS;
  const [samePending, sameUnfinished, others, targetPending, sends, filed, waits] = await Promise.all([
    tx.row(SAME_PENDING, [...same, nowMs]),
    tx.row(SAME_UNFINISHED, [...same, unfinishedSinceMs]),
    tx.row(OF_THE_OWNER, [
      ...same,
      nowMs - REJECTED_MS,
      nowMs - EXECUTED_LATELY_MS,
      unfinishedSinceMs,
      similarHash,
    ]),
    tx.row(TARGET_PENDING, [ownerId, targets, credentialId, nowMs]),
    tx.row(DIRECT_SENDS, [...key, nowMs - SENDS_DAY_MS, nowMs - SENDS_SHORT_MS]),
    tx.row(FILED, [...key, nextUtcMidnight(now).getTime() - DAY_MS]),
    tx.row(WAITING, [...key, nowMs]),
  ]);
  const ofOwner = counted(others);
  return {
    mode,
    group,
    samePending: approval(samePending),
    sameUnfinished: approval(sameUnfinished),
    rejectedAt: instantOrNull(ofOwner, 'rejected_at_ms') ?? undefined,
    targetPending: approval(targetPending),
    executedLately: flag(ofOwner, 'executed') || flag(ofOwner, 'unfinished_elsewhere'),
    directSendsDay: integer(counted(sends), 'day'),
    directSends10Min: integer(counted(sends), 'short'),
    filedToday: integer(counted(filed), 'today'),
    waitingOfKey: integer(counted(waits), 'of_key'),
    waitingOfOwner: integer(counted(waits), 'of_owner'),
  };
}

function approval(found: Row | undefined) {
  return found === undefined ? undefined : readApproval(found);
}

/** A statement of aggregates always answers one row. */
function counted(found: Row | undefined): Row {
  if (found === undefined) throw new Error('A statement that counts answered no row.');
  return found;
}

import type { Database } from 'better-sqlite3';
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
import { instantOrNull, integer, type Row } from '../rows/row.ts';

/**
 * Reads what `decideCall` judges, inside the transaction that files.
 * Every statement goes down an index to a handful of rows, however many approvals an owner has. The index is named
 * where SQLite, which keeps no statistics here, would rather walk through all of an owner's rows.
 */
export function factsReader(db: Database): (filing: Filing, mode: Mode | undefined) => CallFacts {
  type Names = Readonly<Record<string, string | number>>;
  const samePending = db.prepare<[Names], Row>(`
    SELECT * FROM approvals INDEXED BY approvals_same
    WHERE owner_id = @ownerId AND request_hash = @requestHash AND state = 'pending'
      AND credential_id = @credentialId AND expires_at_ms > @nowMs`);
  const sameUnfinished = db.prepare<[Names], Row>(`
    SELECT * FROM approvals INDEXED BY approvals_same
    WHERE owner_id = @ownerId AND request_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
      AND credential_id = @credentialId AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)
    ORDER BY created_at_ms DESC`);
  const ofTheOwner = db.prepare<[Names], Row>(`
    SELECT
      (SELECT max(ended_at_ms) FROM (
        SELECT ended_at_ms FROM approvals INDEXED BY approvals_similar
        WHERE owner_id = @ownerId AND similar_hash = @similarHash AND state = 'rejected'
          AND ended_at_ms > @rejectedSinceMs
        UNION ALL
        SELECT ended_at_ms FROM approvals INDEXED BY approvals_same
        WHERE owner_id = @ownerId AND request_hash = @requestHash AND state = 'rejected'
          AND ended_at_ms > @rejectedSinceMs)) AS rejected_at_ms,
      EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_same
        WHERE owner_id = @ownerId AND request_hash = @requestHash AND state = 'executed'
          AND ended_at_ms > @executedSinceMs) AS executed,
      EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_same
        WHERE owner_id = @ownerId AND request_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
          AND credential_id <> @credentialId
          AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)) AS unfinished_elsewhere`);
  const targetPending = db.prepare<[Names], Row>(`
    SELECT a.* FROM waiting_targets w
    JOIN approvals a ON a.owner_id = w.owner_id AND a.approval_id = w.approval_id
    WHERE w.owner_id = @ownerId AND w.target IN (SELECT value FROM json_each(@targets))
      AND a.credential_id = @credentialId AND a.state = 'pending' AND a.expires_at_ms > @nowMs`);
  // A send that failed was not sent. One whose outcome is unknown may have been.
  const directSends = db.prepare<[Names], Row>(`
    SELECT count(*) AS day, count(*) FILTER (WHERE created_at_ms > @shortSinceMs) AS short
    FROM approvals INDEXED BY approvals_direct_sends
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND asked = 0 AND sends = 1
      AND created_at_ms > @daySinceMs AND state <> 'failed'`);
  const filed = db.prepare<[Names], Row>(`
    SELECT count(*) AS today FROM approvals INDEXED BY approvals_asked
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND asked = 1 AND created_at_ms >= @midnightMs`);
  const waiting = db.prepare<[Names], Row>(`
    SELECT count(*) AS of_owner, count(*) FILTER (WHERE credential_id = @credentialId) AS of_key
    FROM approvals INDEXED BY approvals_open
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND state = 'pending' AND expires_at_ms > @nowMs`);

  return (filing, mode) => {
    const { ownerId, credentialId, requestHash, similarHash, targets, group, now } = filing;
    const nowMs = now.getTime();
    const same = { ownerId, credentialId, requestHash, nowMs };
    const key = { ownerId, credentialId };
    const others = row(
      ofTheOwner.get({
        ...same,
        similarHash,
        rejectedSinceMs: nowMs - REJECTED_MS,
        executedSinceMs: nowMs - EXECUTED_LATELY_MS,
        unfinishedSinceMs: nowMs - SAME_UNFINISHED_MS,
      }),
    );
    const sends = row(
      directSends.get({ ...key, shortSinceMs: nowMs - SENDS_SHORT_MS, daySinceMs: nowMs - SENDS_DAY_MS }),
    );
    const waits = row(waiting.get({ ...key, nowMs }));
    return {
      mode,
      group,
      samePending: approval(samePending.get(same)),
      sameUnfinished: approval(
        sameUnfinished.get({ ...same, unfinishedSinceMs: nowMs - SAME_UNFINISHED_MS }),
      ),
      rejectedAt: instantOrNull(others, 'rejected_at_ms') ?? undefined,
      targetPending: approval(targetPending.get({ ...key, targets: JSON.stringify(targets), nowMs })),
      executedLately: integer(others, 'executed') === 1 || integer(others, 'unfinished_elsewhere') === 1,
      directSendsDay: integer(sends, 'day'),
      directSends10Min: integer(sends, 'short'),
      filedToday: integer(
        row(filed.get({ ...key, midnightMs: nextUtcMidnight(now).getTime() - DAY_MS })),
        'today',
      ),
      waitingOfKey: integer(waits, 'of_key'),
      waitingOfOwner: integer(waits, 'of_owner'),
    };
  };
}

function approval(found: Row | undefined) {
  return found === undefined ? undefined : readApproval(found);
}

/** A statement of aggregates always answers one row. */
function row(found: Row | undefined): Row {
  if (found === undefined) throw new Error('A statement that counts answered no row.');
  return found;
}

const DAYS = 90;
const HOURS = DAYS * 24;
const CALLS = DAYS * 5000;
const APPROVALS = 20_000;
const EVENTS = 50_000;
const DAY_MS = 86_400_000;

/** What differs between the databases. */
export interface Dialect {
  /** Before the name of a table. */
  readonly prefix: string;
  /** SQL of a table with one column `i`: the numbers from 1 to `rows`. */
  series(rows: number): string;
}

export const SQLITE: Dialect = {
  prefix: '',
  series: (rows) =>
    `(WITH RECURSIVE series (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ${rows}) SELECT i FROM series)`,
};

export const POSTGRES: Dialect = {
  prefix: 'countersign.',
  series: (rows) => `generate_series(1::bigint, ${rows}) AS series (i)`,
};

/**
 * The statements that add what an owner has after 90 days: 5,000 calls a day by three keys, 20,000 requests and 50,000
 * events.
 * @param calls  rows of activity, spread over these days
 */
export function ninetyDays(
  { prefix, series }: Dialect,
  { ownerId, keyIds, nowMs }: { ownerId: string; keyIds: readonly string[]; nowMs: number },
  calls = CALLS,
): string[] {
  const owner = `'${ownerId}'`;
  const key = `CASE i % 3 ${keyIds.map((id, n) => `WHEN ${n} THEN '${id}'`).join(' ')} END`;
  const at = (rows: number) => `${nowMs} - (${rows} - i) * ${Math.floor((DAYS * DAY_MS) / rows)}`;
  const anHour = Math.floor(calls / HOURS);
  return [
    `INSERT INTO ${prefix}activity (owner_id, activity_id, at_ms, kind, credential_id, tool, outcome, duration_ms, shown, listed)
    SELECT ${owner}, i, ${at(calls)}, 'call', ${key}, 'tool_' || (i % 20), 'ok', 12,
      '["m1_' || (1000000000000000 + i) || '"]', '[]'
    FROM ${series(calls)}`,
    `INSERT INTO ${prefix}checkpoints (owner_id, number, first_id, last_id, row_count, hour_ms, created_at_ms, updated_at_ms,
      previous_hash, hash, signature)
    SELECT ${owner}, i, (i - 1) * ${anHour} + 1, i * ${anHour}, ${anHour}, ${at(HOURS)}, ${at(HOURS)}, ${at(HOURS)},
      'previous', 'hash', 'signature'
    FROM ${series(HOURS)}`,
    `INSERT INTO ${prefix}approvals (owner_id, approval_id, credential_id, account_id, tool, permission_group, action, state,
      reasons, created_at_ms, expires_at_ms, filed_at_ms, ended_at_ms, fence, lease_until_ms, digest, request_hash,
      similar_hash, precedent, precedent_until_ms, asked, counts_as_send, is_covered)
    SELECT ${owner}, 'apr_' || (100000000000000 + i), ${key}, 1, 'send_reply', 'mail:reply', 'reply', 'executed', '[]',
      ${at(APPROVALS)}, ${at(APPROVALS)}, ${at(APPROVALS)}, ${at(APPROVALS)}, 1, ${at(APPROVALS)}, 'digest',
      'request' || i, 'similar' || i, 'executed', ${at(APPROVALS)} + 3600000, true, false, true
    FROM ${series(APPROVALS)}`,
    `INSERT INTO ${prefix}plans (owner_id, approval_id, sealed_plan, sealed_gist)
    SELECT ${owner}, 'apr_' || (100000000000000 + i), '${'plan'.repeat(500)}', 'gist'
    FROM ${series(APPROVALS)} WHERE i > ${APPROVALS - APPROVALS / 3}`,
    `UPDATE ${prefix}approvals SET has_plan = false
    WHERE owner_id = ${owner} AND approval_id <= 'apr_' || (100000000000000 + ${APPROVALS - APPROVALS / 3})`,
    `INSERT INTO ${prefix}events (owner_id, sequence, event_id, type, credential_id, created_at_ms, data)
    SELECT ${owner}, i, 'evt_' || i, 'approval.decided', ${key}, ${nowMs} - (${EVENTS} - i) * 50000, '{}'
    FROM ${series(EVENTS)}`,
    `UPDATE ${prefix}owners SET last_event_sequence = ${EVENTS} WHERE owner_id = ${owner}`,
  ];
}

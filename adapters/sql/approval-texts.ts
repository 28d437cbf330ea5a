import {
  APPROVAL_COLUMNS,
  type approvalCommands,
  type approvalStatements,
} from '../../core/approvals/approval-state.ts';
import type { Precedent } from '../../core/approvals/precedent.ts';
import { credentials } from '../../core/keys/key-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

const APPROVAL = columnList(APPROVAL_COLUMNS);
const STANDING = `${columnList(credentials.columns, 'c')}, o.plan, o.limits`;

const OPEN = 'ended_at_ms IS NULL';
const ENDED = 'ended_at_ms IS NOT NULL';
const OF_KEY = 'credential_id = @credential_id';

const approvalsBy = ({ prefix, by }: Dialect, index: string) =>
  `SELECT ${APPROVAL} FROM ${prefix}approvals${by(index)} WHERE owner_id = @owner_id`;

const page =
  (index: string, ...conditions: string[]) =>
  (dialect: Dialect) =>
    `
    ${[approvalsBy(dialect, index), ...conditions].join(' AND ')}
      AND (created_at_ms, approval_id) < (@created_at_ms, @id)
    ORDER BY created_at_ms DESC, approval_id DESC LIMIT @limit`;

/** Whether there is such a precedent of the same request, as it was asked or as the owner changed it. */
const existsSame = ({ prefix, by }: Dialect, condition: string) => `
  (EXISTS (SELECT 1 FROM ${prefix}approvals${by('approvals_same')}
    WHERE owner_id = @owner_id AND request_hash = @request_hash AND ${condition})
  OR EXISTS (SELECT 1 FROM ${prefix}approvals${by('approvals_edited')}
    WHERE owner_id = @owner_id AND edited_hash = @request_hash AND ${condition}))`;

/** A condition on an approval. */
const counts = (precedent: Precedent) => `precedent = '${precedent}' AND precedent_until_ms > @now_ms`;

const isNotRunning = ({ name }: Dialect, column: string) =>
  name === 'sqlite'
    ? `${column} NOT IN (SELECT value FROM json_each(@running_list))`
    : `${column} <> ALL(@running_list::text[])`;

export const APPROVAL_TEXTS: Texts<typeof approvalStatements & typeof approvalCommands> = {
  key_status_of_approval: ({ prefix }) => `
    SELECT ${STANDING} FROM ${prefix}approvals a
    JOIN ${prefix}credentials c ON c.owner_id = a.owner_id AND c.credential_id = a.credential_id
    JOIN ${prefix}owners o ON o.owner_id = a.owner_id
    WHERE a.owner_id = @owner_id AND a.approval_id = @approval_id`,
  key_status: ({ prefix }) => `
    SELECT ${STANDING} FROM ${prefix}credentials c JOIN ${prefix}owners o ON o.owner_id = c.owner_id
    WHERE c.owner_id = @owner_id AND c.credential_id = @credential_id`,
  pending_of_owner: (dialect) => `
    ${approvalsBy(dialect, 'approvals_open')} AND ${OPEN} AND state = 'pending' ORDER BY created_at_ms, approval_id`,
  approved_of_owner: ({ prefix, by }) => `
    SELECT ${APPROVAL}, decision_signature FROM ${prefix}approvals${by('approvals_open')}
    WHERE owner_id = @owner_id AND ${OPEN} AND state = 'approved' ORDER BY created_at_ms, approval_id`,
  unstarted: (dialect) => `
    ${approvalsBy(dialect, 'approvals_open')} AND ${OPEN} AND ${OF_KEY} AND state = 'approved' AND started_at_ms IS NULL`,

  same_pending: (dialect) => `
    ${approvalsBy(dialect, 'approvals_same')} AND request_hash = @request_hash AND ${counts('pending')} AND ${OF_KEY}`,
  same_unfinished: (dialect) => `
    ${approvalsBy(dialect, 'approvals_same')} AND request_hash = @request_hash AND ${OF_KEY} AND ${counts('unfinished')}
    UNION ALL
    ${approvalsBy(dialect, 'approvals_edited')} AND edited_hash = @request_hash AND ${OF_KEY} AND ${counts('unfinished')}
    ORDER BY created_at_ms DESC LIMIT 1`,
  target_pending: ({ prefix, among }) => `
    SELECT ${columnList(APPROVAL_COLUMNS, 'a')} FROM ${prefix}waiting_targets w
    JOIN ${prefix}approvals a ON a.owner_id = w.owner_id AND a.approval_id = w.approval_id
    WHERE w.owner_id = @owner_id AND ${among('w.target', 'target_list', 'text')}
      AND a.credential_id = @credential_id AND a.precedent = 'pending' AND a.precedent_until_ms > @now_ms
    LIMIT 1`,
  same_of_owner: (dialect) => `
    SELECT
      (SELECT max(precedent_until_ms) FROM (
        SELECT precedent_until_ms FROM ${dialect.prefix}approvals${dialect.by('approvals_similar')}
        WHERE owner_id = @owner_id AND similar_hash = @similar_hash AND ${counts('rejected')}
        UNION ALL
        SELECT precedent_until_ms FROM ${dialect.prefix}approvals${dialect.by('approvals_same')}
        WHERE owner_id = @owner_id AND request_hash = @request_hash AND ${counts('rejected')}) AS rejected)
        AS rejected_until_ms,
      ${existsSame(dialect, counts('executed'))} AS executed,
      ${existsSame(dialect, `credential_id <> @credential_id AND ${counts('unfinished')}`)} AS unfinished_elsewhere`,
  direct_sends: ({ prefix, by, storeNow }) => `
    SELECT count(*) AS day,
      count(*) FILTER (WHERE filed_at_ms > ${storeNow} - CAST(@short_sends_ms AS bigint)) AS short
    FROM ${prefix}approvals${by('approvals_direct_sends')}
    WHERE owner_id = @owner_id AND ${OF_KEY} AND counts_as_send
      AND filed_at_ms > ${storeNow} - CAST(@day_sends_ms AS bigint)`,
  filed: ({ prefix, by, storeNow }) => `
    SELECT count(*) AS filed FROM ${prefix}approvals${by('approvals_asked')}
    WHERE owner_id = @owner_id AND ${OF_KEY} AND asked
      AND filed_at_ms >= ${storeNow} - ${storeNow} % CAST(@day_ms AS bigint)`,
  waiting: ({ prefix, by }) => `
    SELECT count(*) AS of_owner, count(*) FILTER (WHERE ${OF_KEY}) AS of_key
    FROM ${prefix}approvals${by('approvals_open')}
    WHERE owner_id = @owner_id AND ${OPEN} AND state = 'pending' AND expires_at_ms > @now_ms`,

  owners_of_lapsed: (dialect) => {
    const { prefix, by, storeNow } = dialect;
    return `
      SELECT owner_id FROM (
        SELECT owner_id FROM ${prefix}approvals${by('approvals_lapsing')}
        WHERE state = 'approved' AND lease_until_ms <= ${storeNow} AND ${isNotRunning(dialect, 'approval_id')}
        GROUP BY owner_id ORDER BY min(lease_until_ms) LIMIT @limit) AS lapsed
      UNION
      SELECT owner_id FROM (
        SELECT owner_id FROM ${prefix}follow_ups${by('follow_ups_due')}
        WHERE due_at_ms <= ${storeNow} AND ${isNotRunning(dialect, 'approval_id')}
        GROUP BY owner_id ORDER BY min(due_at_ms) LIMIT @limit) AS due`;
  },
  lapsed: (dialect) => {
    const { prefix, by, among } = dialect;
    return `
      SELECT ${columnList(APPROVAL_COLUMNS, 'a')}, a.decision_signature, p.sealed_plan FROM ${prefix}approvals a${by('approvals_lapsing')}
      LEFT JOIN ${prefix}plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
      WHERE a.state = 'approved' AND a.lease_until_ms <= @due_by_ms AND ${isNotRunning(dialect, 'a.approval_id')}
        AND ${among('a.owner_id', 'owner_id_list', 'text')}
      ORDER BY row_number() OVER (PARTITION BY a.owner_id ORDER BY a.lease_until_ms), a.lease_until_ms LIMIT @limit`;
  },
  due_follow_ups: (dialect) => {
    const { prefix, by, among } = dialect;
    return `
      SELECT ${columnList(APPROVAL_COLUMNS, 'a')}, a.decision_signature, p.sealed_plan FROM ${prefix}follow_ups f${by('follow_ups_due')}
      JOIN ${prefix}approvals a ON a.owner_id = f.owner_id AND a.approval_id = f.approval_id
      LEFT JOIN ${prefix}plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
      WHERE f.due_at_ms <= @due_by_ms AND ${isNotRunning(dialect, 'f.approval_id')}
        AND ${among('f.owner_id', 'owner_id_list', 'text')}
      ORDER BY row_number() OVER (PARTITION BY f.owner_id ORDER BY f.due_at_ms), f.due_at_ms LIMIT @limit`;
  },
  owners_of_overdue: ({ prefix, by }) =>
    `SELECT DISTINCT owner_id FROM ${prefix}approvals${by('approvals_expiring')} WHERE state = 'pending' AND expires_at_ms <= @now_ms`,
  overdue: ({ prefix, by, among }) => `
    SELECT ${APPROVAL} FROM ${prefix}approvals${by('approvals_expiring')} WHERE state = 'pending' AND expires_at_ms <= @now_ms
      AND ${among('owner_id', 'owner_id_list', 'text')}
    ORDER BY expires_at_ms`,

  approvals_of_owner: page('approvals_of_owner'),
  open_of_owner: page('approvals_open', OPEN),
  ended_of_owner: page('approvals_of_owner', ENDED),
  approvals_of_credential: page('approvals_of_credential', OF_KEY),
  open_of_credential: page('approvals_open', OPEN, OF_KEY),
  ended_of_credential: page('approvals_of_credential', ENDED, OF_KEY),
  open_states: ({ name, prefix, by, among }) => {
    const open = `
      SELECT owner_id, approval_id, state, CAST(${name === 'sqlite' ? '0' : 'false'} AS boolean) AS is_newest
      FROM ${prefix}approvals${by('approvals_open')} WHERE ${among('owner_id', 'owner_id_list', 'text')} AND ${OPEN}`;
    const newest =
      name === 'sqlite'
        ? `SELECT a.owner_id, a.approval_id, a.state, 1 FROM json_each(@owner_id_list) AS watched
      JOIN approvals a ON a.owner_id = watched.value AND a.approval_id = (
        SELECT approval_id FROM approvals INDEXED BY approvals_of_owner WHERE owner_id = watched.value
        ORDER BY created_at_ms DESC, approval_id DESC LIMIT 1)`
        : `SELECT newest.owner_id, newest.approval_id, newest.state, true
      FROM unnest(@owner_id_list::text[]) AS watched (owner_id)
      CROSS JOIN LATERAL (
        SELECT a.owner_id, a.approval_id, a.state FROM ${prefix}approvals a
        WHERE a.owner_id = watched.owner_id ORDER BY a.created_at_ms DESC, a.approval_id DESC LIMIT 1) AS newest`;
    return `${open} UNION ALL ${newest}`;
  },

  add_targets: ({ name, prefix }) => `
    INSERT INTO ${prefix}waiting_targets (owner_id, target, approval_id)
    ${
      name === 'sqlite'
        ? 'SELECT @owner_id, value, @approval_id FROM json_each(@target_list) WHERE true'
        : 'SELECT @owner_id::text, target, @approval_id::text FROM unnest(@target_list::text[]) AS named (target)'
    } ON CONFLICT DO NOTHING`,
};

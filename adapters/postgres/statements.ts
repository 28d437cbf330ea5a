import { WAIT_MAX_MS } from '../../core/events/delivery.ts';
import { ACCOUNT_COLUMNS } from '../sql/account.ts';
import type { StatementTexts } from '../sql/query.ts';
import { DELIVERY_COLUMNS, ENDPOINT_COLUMNS, EVENT_COLUMNS } from '../sql/webhook.ts';
import type { WriteStatement } from '../sql/writes.ts';
import { STORE_NOW_MS } from './lock.ts';

const ACCOUNTS_OF = (owner: string) => `
  SELECT ${ACCOUNT_COLUMNS}
  FROM countersign.accounts WHERE owner_id = ${owner} ORDER BY account_id`;

const page = (...conditions: string[]) => `
  SELECT * FROM countersign.approvals
  WHERE ${['owner_id = @ownerId', ...conditions].join(' AND ')}
    AND (created_at_ms, approval_id) < (@createdAtMs, @id)
  ORDER BY created_at_ms DESC, approval_id DESC LIMIT @limit`;
const OF_KEY = 'credential_id = @credentialId';
const OPEN = 'ended_at_ms IS NULL';
const ENDED = 'ended_at_ms IS NOT NULL';

const DUE_TRACKERS = `
  SELECT * FROM countersign.trackers WHERE last_message_link_id > summarised_link_id
  ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY tracker_id), owner_id LIMIT @limit`;
const WAITS = "status <> 'resolved' AND keywords <> ''";
const HEARS = `disabled IS NULL AND types LIKE '%"message.received"%'`;

/** From here on a waiting delivery can be tried. The index `deliveries_waiting` sorts by it. */
const READY_MS = 'greatest(due_ms, lease_until_ms)';
/** The ranges of READY_MS in which a delivery can be due, as `deliveryAfter` judges it. */
const IS_READY = `${READY_MS} <= ${STORE_NOW_MS}`;
/** The clock was set back. */
const IS_OVERDUE = `${READY_MS} > ${STORE_NOW_MS} + ${WAIT_MAX_MS}
  AND (lease_until_ms <= ${STORE_NOW_MS} OR lease_until_ms > ${STORE_NOW_MS} + ${WAIT_MAX_MS})
  AND (due_ms <= ${STORE_NOW_MS} OR due_ms > ${STORE_NOW_MS} + ${WAIT_MAX_MS})`;

/** Waiting deliveries of the endpoint `e` in the range. */
const WAITING_IN = (range: string) => `
  FROM countersign.deliveries
  WHERE owner_id = e.owner_id AND endpoint_id = e.endpoint_id AND state = 'waiting' AND ${range}`;
const FIRST_WAITING = (range: string) => `(SELECT * ${WAITING_IN(range)} ORDER BY ${READY_MS} LIMIT @limit)`;

/** The row of a name of known domains. */
const DOMAIN = (name: string) => `
  SELECT name, times, most_written FROM countersign.known_domains
  WHERE owner_id = @ownerId AND account_id = @accountId AND name = ${name} LIMIT 1`;

/** Listed one by one, because a prepared statement must not start to return more columns. */
const CREDENTIAL_COLUMNS = `
  c.owner_id, c.credential_id, c.kind, c.name, c.modes, c.revision, c.created_at_ms, c.expires_at_ms,
  c.overlap_until_ms, c.revoked_at_ms, c.paused_at_ms, c.fences, c.signature`;

/** Statements that name their columns are prepared once per connection. */
export const STATEMENTS: StatementTexts = {
  caller: `
    SELECT s.expires_at_ms AS secret_expires_at_ms, s.sealed_tokens, s.signature AS secret_signature,
      ${CREDENTIAL_COLUMNS},
      o.email, o.timezone, o.language, o.plans_kept_days, o.proof_for, o.plan, o.limits, o.active_account_id
    FROM countersign.secrets s
    JOIN countersign.credentials c ON c.owner_id = s.owner_id AND c.credential_id = s.credential_id
    JOIN countersign.owners o ON o.owner_id = s.owner_id
    WHERE s.secret_hash = @secretHash`,
  usage_of_secret: `
    SELECT u.credential_id, u.slot_id, u.time_ms, u.count FROM countersign.secrets s
    JOIN countersign.usage u ON u.owner_id = s.owner_id AND u.credential_id IN ('', s.credential_id)
    WHERE s.secret_hash = @secretHash`,
  usage_of_credential: `
    SELECT credential_id, slot_id, time_ms, count FROM countersign.usage
    WHERE owner_id = @ownerId AND credential_id IN ('', @credentialId)`,
  accounts_of_secret: ACCOUNTS_OF(
    '(SELECT owner_id FROM countersign.secrets WHERE secret_hash = @secretHash)',
  ),
  secret: 'SELECT owner_id, credential_id FROM countersign.secrets WHERE secret_hash = @secretHash',
  slot: `
    SELECT credential_id, time_ms FROM countersign.usage WHERE owner_id = @ownerId AND slot_id = @slotId AND slot_id <> ''`,
  claim:
    'SELECT * FROM countersign.claims WHERE owner_id = @ownerId AND credential_id = @credentialId AND key = @key',
  approval_of_claim: `
    SELECT a.* FROM countersign.claims c JOIN countersign.approvals a ON a.owner_id = c.owner_id AND a.approval_id = c.approval_id
    WHERE c.owner_id = @ownerId AND c.credential_id = @credentialId AND c.key = @key`,

  approval: 'SELECT * FROM countersign.approvals WHERE owner_id = @ownerId AND approval_id = @approvalId',
  plan: 'SELECT sealed_plan FROM countersign.plans WHERE owner_id = @ownerId AND approval_id = @approvalId',
  asked_plan:
    'SELECT sealed_asked FROM countersign.plans WHERE owner_id = @ownerId AND approval_id = @approvalId',
  gists: `
    SELECT approval_id, sealed_gist FROM countersign.plans
    WHERE owner_id = @ownerId AND approval_id = ANY(@approvalIds::text[])`,
  follow_up: 'SELECT 1 FROM countersign.follow_ups WHERE owner_id = @ownerId AND approval_id = @approvalId',
  standing_of_approval: `
    SELECT ${CREDENTIAL_COLUMNS}, o.plan, o.limits FROM countersign.approvals a
    JOIN countersign.credentials c ON c.owner_id = a.owner_id AND c.credential_id = a.credential_id
    JOIN countersign.owners o ON o.owner_id = a.owner_id
    WHERE a.owner_id = @ownerId AND a.approval_id = @approvalId`,
  standing: `
    SELECT ${CREDENTIAL_COLUMNS}, o.plan, o.limits FROM countersign.credentials c JOIN countersign.owners o ON o.owner_id = c.owner_id
    WHERE c.owner_id = @ownerId AND c.credential_id = @credentialId`,

  same_pending: `
    SELECT * FROM countersign.approvals
    WHERE owner_id = @ownerId AND request_hash = @requestHash AND state = 'pending'
      AND credential_id = @credentialId AND expires_at_ms > @nowMs`,
  same_unfinished: `
    SELECT * FROM countersign.approvals
    WHERE owner_id = @ownerId AND (request_hash = @requestHash OR edited_hash = @requestHash)
      AND state IN ('approved', 'outcome_unknown') AND credential_id = @credentialId AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)
    ORDER BY created_at_ms DESC LIMIT 1`,
  target_pending: `
    SELECT a.* FROM countersign.waiting_targets w
    JOIN countersign.approvals a ON a.owner_id = w.owner_id AND a.approval_id = w.approval_id
    WHERE w.owner_id = @ownerId AND w.target = ANY(@targets::text[])
      AND a.credential_id = @credentialId AND a.state = 'pending' AND a.expires_at_ms > @nowMs
    LIMIT 1`,
  same_of_owner: `
    SELECT
      (SELECT max(ended_at_ms) FROM countersign.approvals
        WHERE owner_id = @ownerId AND (request_hash = @requestHash OR similar_hash = @similarHash)
          AND state = 'rejected' AND ended_at_ms > @rejectedSinceMs) AS rejected_at_ms,
      EXISTS (SELECT 1 FROM countersign.approvals
        WHERE owner_id = @ownerId AND (request_hash = @requestHash OR edited_hash = @requestHash)
          AND state = 'executed'
          AND ended_at_ms > @executedSinceMs) AS executed,
      EXISTS (SELECT 1 FROM countersign.approvals
        WHERE owner_id = @ownerId AND (request_hash = @requestHash OR edited_hash = @requestHash)
          AND state IN ('approved', 'outcome_unknown') AND credential_id <> @credentialId
          AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)) AS unfinished_elsewhere`,
  // A failed send was not sent. One with an unknown outcome may have been.
  direct_sends: `
    SELECT count(*) AS day, count(*) FILTER (WHERE filed_at_ms > ${STORE_NOW_MS} - @shortSendsMs::bigint) AS short
    FROM countersign.approvals
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND NOT asked AND sends
      AND filed_at_ms > ${STORE_NOW_MS} - @daySendsMs::bigint AND state <> 'failed'`,
  filed: `
    SELECT count(*) AS filed FROM countersign.approvals
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND asked
      AND filed_at_ms >= ${STORE_NOW_MS} - ${STORE_NOW_MS} % @dayMs::bigint`,
  waiting: `
    SELECT count(*) AS of_owner, count(*) FILTER (WHERE credential_id = @credentialId) AS of_key
    FROM countersign.approvals
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND state = 'pending' AND expires_at_ms > @nowMs`,

  lapsed: `
    SELECT a.*, p.sealed_plan FROM countersign.approvals a
    LEFT JOIN countersign.plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
    WHERE a.state = 'approved' AND a.lease_until_ms <= @storeNowMs
      AND a.approval_id <> ALL(@running::text[]) AND a.owner_id = ANY(@ownerIds::text[])
    ORDER BY row_number() OVER (PARTITION BY a.owner_id ORDER BY a.lease_until_ms), a.lease_until_ms
    LIMIT @limit`,
  due_follow_ups: `
    SELECT a.*, p.sealed_plan FROM countersign.follow_ups f
    JOIN countersign.approvals a ON a.owner_id = f.owner_id AND a.approval_id = f.approval_id
    LEFT JOIN countersign.plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
    WHERE f.due_at_ms <= @storeNowMs AND f.approval_id <> ALL(@running::text[])
      AND f.owner_id = ANY(@ownerIds::text[])
    ORDER BY row_number() OVER (PARTITION BY f.owner_id ORDER BY f.due_at_ms), f.due_at_ms LIMIT @limit`,
  overdue: `
    SELECT * FROM countersign.approvals
    WHERE state = 'pending' AND expires_at_ms <= @nowMs AND owner_id = ANY(@ownerIds::text[])
    ORDER BY expires_at_ms`,

  credential:
    'SELECT * FROM countersign.credentials WHERE owner_id = @ownerId AND credential_id = @credentialId',
  secrets: `
    SELECT owner_id, credential_id, secret_hash, expires_at_ms, sealed_tokens, signature FROM countersign.secrets
    WHERE owner_id = @ownerId AND credential_id = @credentialId`,
  secrets_of_owner: `
    SELECT owner_id, credential_id, secret_hash, expires_at_ms, sealed_tokens, signature FROM countersign.secrets
    WHERE owner_id = @ownerId`,
  pending: `
    SELECT * FROM countersign.approvals
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND state = 'pending'
    ORDER BY created_at_ms, approval_id`,
  unstarted: `
    SELECT * FROM countersign.approvals
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND credential_id = @credentialId
      AND state = 'approved' AND started_at_ms IS NULL`,
  pending_targets: 'SELECT approval_id, target FROM countersign.waiting_targets WHERE owner_id = @ownerId',

  owner: 'SELECT * FROM countersign.owners WHERE owner_id = @ownerId',
  accounts: ACCOUNTS_OF('@ownerId'),
  account_health: `
    SELECT * FROM countersign.account_health WHERE owner_id = @ownerId ORDER BY account_id, leg`,
  credential_use: `
    SELECT c.credential_id, u.last_call_ms,
      (SELECT count(*) FROM countersign.approvals r
        WHERE r.owner_id = c.owner_id AND r.ended_at_ms IS NULL AND r.credential_id = c.credential_id
          AND r.state = 'pending') AS waiting
    FROM countersign.credentials c
    LEFT JOIN countersign.usage u
      ON u.owner_id = c.owner_id AND u.credential_id = c.credential_id AND u.slot_id = ''
    WHERE c.owner_id = @ownerId AND c.revoked_at_ms IS NULL`,
  credentials: `
    SELECT * FROM countersign.credentials WHERE owner_id = @ownerId ORDER BY created_at_ms DESC, credential_id DESC`,

  tracker_of_request:
    'SELECT * FROM countersign.trackers WHERE owner_id = @ownerId AND request_id = @requestId',
  last_tracker:
    'SELECT coalesce(max(tracker_id), 0) AS last_id FROM countersign.trackers WHERE owner_id = @ownerId',
  other_message_link: `
    SELECT coalesce(max(link_id), 0) AS last_id FROM countersign.tracker_links
    WHERE owner_id = @ownerId AND tracker_id = @trackerId AND kind = 'mail' AND link_id <> @linkId`,
  last_link:
    'SELECT coalesce(max(link_id), 0) AS last_id FROM countersign.tracker_links WHERE owner_id = @ownerId',
  trackers_by_id: `
    SELECT * FROM countersign.trackers
    WHERE owner_id = @ownerId AND tracker_id = ANY(@trackerIds::bigint[])`,
  links_by_target: `
    SELECT * FROM countersign.tracker_links
    WHERE owner_id = @ownerId AND tracker_id = ANY(@trackerIds::bigint[])
      AND target = ANY(@targets::text[])`,
  inbox_reader: `
    SELECT l.fence, r.position FROM countersign.inbox_leases l
    LEFT JOIN countersign.inbox_readers r
      ON r.owner_id = l.owner_id AND r.account_id = l.account_id AND r.reader = @reader
    WHERE l.owner_id = @ownerId AND l.account_id = @accountId`,
  moved_into_inbox: `
    SELECT identity FROM countersign.moved_into_inbox
    WHERE owner_id = @ownerId AND account_id = @accountId AND identity = ANY(@identities::text[])`,
  inbox_leases: `
    SELECT account_id, fence, lease_until_ms FROM countersign.inbox_leases WHERE owner_id = @ownerId`,
  inbox_readers: `
    SELECT account_id, reader, position, ended_ms FROM countersign.inbox_readers WHERE owner_id = @ownerId`,
  inboxes_to_watch: `
    SELECT a.owner_id, a.account_id, coalesce(l.lease_until_ms, 0) > ${STORE_NOW_MS} AS is_leased
    FROM countersign.accounts a
    LEFT JOIN countersign.inbox_leases l ON l.owner_id = a.owner_id AND l.account_id = a.account_id
    WHERE @all::boolean OR a.owner_id IN (
      SELECT owner_id FROM countersign.trackers WHERE ${WAITS}
      UNION SELECT owner_id FROM countersign.endpoints WHERE ${HEARS})
    ORDER BY a.owner_id, a.account_id`,

  accounts_to_check: `
    SELECT owner_id, account_id FROM countersign.accounts WHERE next_check_ms <= @nowMs
    ORDER BY next_check_ms, owner_id, account_id LIMIT @limit`,

  approvals_of_owner: page(),
  open_of_owner: page(OPEN),
  ended_of_owner: page(ENDED),
  approvals_of_credential: page(OF_KEY),
  open_of_credential: page(OPEN, OF_KEY),
  ended_of_credential: page(ENDED, OF_KEY),
  open_states: `
    SELECT owner_id, approval_id, state, false AS is_newest FROM countersign.approvals
    WHERE owner_id = ANY(@owners::text[]) AND ${OPEN}
    UNION ALL
    SELECT newest.owner_id, newest.approval_id, newest.state, true
    FROM unnest(@owners::text[]) AS watched (owner_id)
    CROSS JOIN LATERAL (
      SELECT a.owner_id, a.approval_id, a.state FROM countersign.approvals a
      WHERE a.owner_id = watched.owner_id ORDER BY a.created_at_ms DESC, a.approval_id DESC LIMIT 1) AS newest`,

  known_recipients: `
    SELECT address, times FROM countersign.known_recipients
    WHERE owner_id = @ownerId AND account_id = @accountId
      AND address = ANY(@addresses::text[])
      AND md5(address) = ANY(ARRAY(SELECT md5(one) FROM unnest(@addresses::text[]) AS wanted (one)))`,
  // OFFSET and LIMIT keep each key and each name a look-up of its own. The planner may prefer to read all of the table.
  known_domains: `
    SELECT DISTINCT d.name, d.times
    FROM (SELECT DISTINCT found.name FROM unnest(@domainKeys::bigint[]) AS used (key)
      CROSS JOIN LATERAL (SELECT name FROM countersign.known_domain_keys
        WHERE owner_id = @ownerId AND account_id = @accountId AND key = used.key OFFSET 0) found) k
    CROSS JOIN LATERAL (${DOMAIN('k.name')}) n
    CROSS JOIN LATERAL unnest(ARRAY[n.name, n.most_written]) AS wanted (name)
    CROSS JOIN LATERAL (${DOMAIN('wanted.name')}) d
    WHERE d.times > 0 ORDER BY d.name`,
  relocated: `
    SELECT mark FROM countersign.relocated_messages
    WHERE owner_id = @ownerId AND mark = ANY(@marks::text[])`,

  trackers: `
    SELECT * FROM countersign.trackers
    WHERE owner_id = @ownerId AND (status = 'resolved') = @isResolved AND tracker_id < @before
    ORDER BY tracker_id DESC LIMIT @limit`,
  count_trackers: `
    SELECT count(*) AS total FROM countersign.trackers WHERE owner_id = @ownerId AND (status = 'resolved') = @isResolved`,
  links: `
    SELECT * FROM countersign.tracker_links WHERE owner_id = @ownerId AND tracker_id = @trackerId AND link_id <= @upTo
    ORDER BY link_id DESC LIMIT @limit`,
  count_links: `
    SELECT count(*) AS total FROM countersign.tracker_links WHERE owner_id = @ownerId AND tracker_id = @trackerId`,
  waiting_trackers: `
    SELECT tracker_id, keywords, created_at_ms FROM countersign.trackers WHERE owner_id = @ownerId AND ${WAITS}
    ORDER BY tracker_id`,
  trackers_to_summarise: DUE_TRACKERS,
  messages_to_summarise: `
    SELECT l.* FROM (${DUE_TRACKERS}) t
    CROSS JOIN LATERAL (
      SELECT * FROM countersign.tracker_links
      WHERE owner_id = t.owner_id AND tracker_id = t.tracker_id AND kind = 'mail'
      ORDER BY link_id DESC LIMIT @messages) l
    ORDER BY l.link_id DESC`,

  endpoints: `SELECT ${ENDPOINT_COLUMNS} FROM countersign.endpoints WHERE owner_id = @ownerId ORDER BY endpoint_id`,
  keys_of_endpoints: `
    SELECT ${CREDENTIAL_COLUMNS} FROM countersign.credentials c WHERE c.owner_id = @ownerId
      AND (c.credential_id = @credentialId
        OR c.credential_id IN (SELECT credential_id FROM countersign.endpoints WHERE owner_id = @ownerId))`,
  events_behind: `
    SELECT ${EVENT_COLUMNS} FROM countersign.events v WHERE owner_id = @ownerId
      AND sequence > (SELECT min(position) FROM countersign.endpoints WHERE owner_id = @ownerId AND disabled IS NULL)
    ORDER BY sequence LIMIT @limit`,
  due_deliveries: `
    SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM countersign.endpoints e
    CROSS JOIN LATERAL (${[IS_READY, IS_OVERDUE].map(FIRST_WAITING).join(' UNION ALL ')}) d
    JOIN countersign.events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE e.owner_id = @ownerId ORDER BY d.due_ms, d.sequence`,
  deliveries_by_event: `
    SELECT ${DELIVERY_COLUMNS} FROM json_array_elements(@names::json) n
    CROSS JOIN LATERAL (
      SELECT * FROM countersign.deliveries
      WHERE owner_id = @ownerId AND endpoint_id = (n ->> 0)::bigint AND sequence = (n ->> 1)::bigint LIMIT 1) d`,
  deliveries: `
    SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM countersign.deliveries d
    JOIN countersign.events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE d.owner_id = @ownerId AND d.endpoint_id = @endpointId AND d.sequence < @before
    ORDER BY d.sequence DESC LIMIT @limit`,
  owners_with_deliveries: `
    SELECT owner_id FROM (
      SELECT DISTINCT e.owner_id FROM countersign.endpoints e JOIN countersign.owners o ON o.owner_id = e.owner_id
      WHERE (e.disabled IS NULL AND e.position < o.last_event_sequence)
        OR EXISTS (SELECT 1 ${WAITING_IN(IS_READY)}) OR EXISTS (SELECT 1 ${WAITING_IN(IS_OVERDUE)})) AS waiting
    ORDER BY owner_id <= @after, owner_id LIMIT @limit`,

  pending_grants: `
    SELECT * FROM countersign.pending_grants WHERE owner_id = @ownerId ORDER BY expires_at_ms, state_hash`,
  any_owner: 'SELECT 1 FROM countersign.owners LIMIT 1',
  clock: `SELECT ${STORE_NOW_MS} AS now_ms`,
};

export const WRITES: Readonly<Record<WriteStatement, string>> = {
  count_call: `
    INSERT INTO countersign.usage (owner_id, credential_id, slot_id, time_ms, count, last_call_ms)
    VALUES (@owner_id, '', '', @day_ms, @day_count, NULL),
      (@owner_id, @credential_id, '', @minute_ms, @minute_count, @at_ms),
      (@owner_id, @credential_id, @slot_id, @lease_until_ms, 1, NULL)
    ON CONFLICT (owner_id, credential_id, slot_id) DO UPDATE
    SET time_ms = excluded.time_ms, count = excluded.count, last_call_ms = excluded.last_call_ms`,
  add_targets: `
    INSERT INTO countersign.waiting_targets (owner_id, target, approval_id)
    SELECT @owner_id::text, target, @approval_id::text FROM unnest(@targets::text[]) AS named (target)
    ON CONFLICT DO NOTHING`,
  add_domain_keys: `
    INSERT INTO countersign.known_domain_keys (owner_id, account_id, key, name)
    SELECT o.owner_id, @account_id::bigint, k.value::bigint, n ->> 0
    FROM countersign.owners o, json_array_elements(@domain_keys::json) n, json_array_elements_text(n -> 1) k
    WHERE o.owner_id = @owner_id AND (SELECT count(*) FROM countersign.known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n ->> 0) = 0
    ON CONFLICT DO NOTHING`,
  count_domains: `
    INSERT INTO countersign.known_domains AS known (owner_id, account_id, name, times, most_written)
    SELECT o.owner_id, @account_id::bigint, domain,
      sum(CASE WHEN r.is_known THEN @added::bigint ELSE found.times END), domain
    FROM countersign.owners o
    CROSS JOIN unnest(@addresses::text[], @times::bigint[], @domains::text[]) AS found (address, times, domain)
    LEFT JOIN LATERAL (SELECT true AS is_known FROM countersign.known_recipients
      WHERE owner_id = @owner_id AND account_id = @account_id AND md5(address) = md5(found.address) LIMIT 1) r ON true
    WHERE o.owner_id = @owner_id AND domain <> '' GROUP BY o.owner_id, domain
    ON CONFLICT (owner_id, account_id, name) DO UPDATE SET times = known.times + excluded.times`,
  remember_recipients: `
    INSERT INTO countersign.known_recipients AS known (owner_id, account_id, address, since_ms, times)
    SELECT owner_id, @account_id::bigint, address, @since_ms::bigint, times
    FROM countersign.owners, unnest(@addresses::text[], @times::bigint[]) AS found (address, times)
    WHERE owner_id = @owner_id
    ON CONFLICT (owner_id, account_id, md5(address)) DO UPDATE SET times = known.times + @added::bigint`,
  // Of two domains with equally many messages, the first in order of characters.
  rank_domains: `
    INSERT INTO countersign.known_domains AS known (owner_id, account_id, name, times, most_written)
    SELECT DISTINCT ON (n ->> 0) @owner_id, @account_id::bigint, n ->> 0, 0, n ->> 1
    FROM json_array_elements(@domain_endings::json) n
    CROSS JOIN LATERAL (SELECT times FROM countersign.known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n ->> 1 LIMIT 1) d
    ORDER BY n ->> 0, d.times DESC, (n ->> 1) COLLATE "C"
    ON CONFLICT (owner_id, account_id, name) DO UPDATE SET most_written = excluded.most_written WHERE EXISTS (
      SELECT 1 FROM countersign.known_domains b
      JOIN countersign.known_domains d ON d.owner_id = b.owner_id AND d.account_id = b.account_id
      WHERE b.owner_id = @owner_id AND b.account_id = @account_id AND b.name = known.most_written
        AND d.name = excluded.most_written AND (b.times, d.name) < (d.times, b.name))`,
  remember_relocated: `
    INSERT INTO countersign.relocated_messages (owner_id, mark)
    SELECT @owner_id::text, mark FROM unnest(@marks::text[]) AS added (mark) ON CONFLICT DO NOTHING`,
};

/** Held by one process at a time. The number is arbitrary but fixed. */
export const LOCK_ERASING = 'SELECT pg_advisory_xact_lock(7305816483)';

/** Rows that one statement erases. The planner looks up so few by index, whatever it expects of the tables. */
export const ERASED_AT_ONCE = 200;

const oldRows = (table: string, key: string, condition: string) => `
  DELETE FROM countersign.${table} WHERE (${key}) IN (
    SELECT ${key} FROM countersign.${table} WHERE ${condition}
    LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;

/** Each looks up at most `ERASED_AT_ONCE` old rows, and erases or changes them and the rows that belong to them. */
export const ERASE: readonly string[] = [
  `WITH old AS (
    SELECT a.owner_id, a.approval_id FROM countersign.owners o
    -- One range of the index per owner, whatever the planner expects of it. 86,400,000 ms are a day.
    CROSS JOIN LATERAL (
      SELECT owner_id, approval_id FROM countersign.approvals
      WHERE owner_id = o.owner_id AND has_plan
        AND ended_at_ms < @plansKeptUntilMs::bigint - o.plans_kept_days * 86400000::bigint
      ORDER BY ended_at_ms LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED) a
    LIMIT ${ERASED_AT_ONCE}),
  erased AS (
    DELETE FROM countersign.plans p USING old WHERE p.owner_id = old.owner_id AND p.approval_id = old.approval_id)
  UPDATE countersign.approvals a SET has_plan = false, sealed_note = NULL, sealed_diff = NULL
  FROM old WHERE a.owner_id = old.owner_id AND a.approval_id = old.approval_id`,
  `WITH old AS (
    SELECT owner_id, sequence, type, position FROM countersign.events WHERE created_at_ms < @eventsBeforeMs
    ORDER BY created_at_ms LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED),
  old_of_type AS (
    SELECT type, coalesce(max(position), 0) AS newest, max((position IS NULL)::int) AS has_unnumbered
    FROM old GROUP BY type),
  -- An event without a position is behind the last one.
  marked AS (
    UPDATE countersign.event_streams s SET last_position = s.last_position + o.has_unnumbered,
      erased_position = greatest(
        s.erased_position, CASE o.has_unnumbered WHEN 1 THEN s.last_position + 1 ELSE o.newest END)
    FROM old_of_type o WHERE o.type = s.type),
  erased AS (
    DELETE FROM countersign.deliveries d USING old, countersign.endpoints e
    WHERE e.owner_id = old.owner_id
      AND d.owner_id = e.owner_id AND d.endpoint_id = e.endpoint_id AND d.sequence = old.sequence)
  DELETE FROM countersign.events v USING old WHERE v.owner_id = old.owner_id AND v.sequence = old.sequence`,
  oldRows('moved_into_inbox', 'owner_id, account_id, identity', 'at_ms < @eventsBeforeMs'),
  oldRows('claims', 'owner_id, credential_id, key', 'created_at_ms < @claimsBeforeMs'),
  oldRows('reads', 'owner_id, read_id', 'at_ms < @readsBeforeMs'),
  oldRows('password_tries', 'row_number', 'forgotten_ms < @passwordTriesBeforeMs'),
];

/**
 * Erases the oldest rows of each owner, up to the first one that is kept: no gap arises between rows, even if the clock
 * was changed. With them go checkpoints whose rows are erased, and those of the next checkpoint too.
 */
export const ERASE_ACTIVITY = `
  WITH old AS (
    SELECT a.owner_id, a.activity_id FROM countersign.owners o
    CROSS JOIN LATERAL (
      SELECT owner_id, activity_id FROM countersign.activity
      WHERE owner_id = o.owner_id AND activity_id < coalesce(
        (SELECT activity_id FROM (
            SELECT activity_id, at_ms FROM countersign.activity WHERE owner_id = o.owner_id
            ORDER BY activity_id LIMIT ${ERASED_AT_ONCE} + 1) AS oldest
          WHERE at_ms >= @activityBeforeMs ORDER BY activity_id LIMIT 1), 9223372036854775807)
      ORDER BY activity_id LIMIT ${ERASED_AT_ONCE}) a
    LIMIT ${ERASED_AT_ONCE}),
  erased AS (
    DELETE FROM countersign.activity a USING old
    WHERE a.owner_id = old.owner_id AND a.activity_id = old.activity_id),
  of_owner AS (SELECT owner_id, max(activity_id) AS last_id FROM old GROUP BY owner_id),
  uncovered AS (
    DELETE FROM countersign.checkpoints c USING of_owner o
    WHERE c.owner_id = o.owner_id AND c.number < coalesce(
      (SELECT number FROM countersign.checkpoints
        WHERE owner_id = o.owner_id AND (hour_ms >= @activityBeforeMs OR last_id > o.last_id)
        ORDER BY number LIMIT 1),
      (SELECT max(number) + 1 FROM countersign.checkpoints WHERE owner_id = o.owner_id)) - 1)
  SELECT count(*) AS erased FROM old`;

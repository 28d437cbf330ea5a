import { WAIT_MAX_MS } from '../../core/events/delivery.ts';
import { ACCOUNT_COLUMNS } from '../sql/account.ts';
import { CREDENTIAL_COLUMNS } from '../sql/credential.ts';
import type { StatementTexts } from '../sql/query.ts';
import { DELIVERY_COLUMNS, ENDPOINT_COLUMNS, EVENT_COLUMNS } from '../sql/webhook.ts';
import type { WriteStatement } from '../sql/writes.ts';

const ACCOUNTS_OF = (owner: string) =>
  `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE owner_id = ${owner} ORDER BY account_id`;

const page = (index: string, ...conditions: string[]) => `
  SELECT * FROM approvals INDEXED BY ${index}
  WHERE ${['owner_id = @ownerId', ...conditions].join(' AND ')}
    AND (created_at_ms, approval_id) < (@createdAtMs, @id)
  ORDER BY created_at_ms DESC, approval_id DESC LIMIT @limit`;
const OF_KEY = 'credential_id = @credentialId';
const OPEN = 'ended_at_ms IS NULL';
const ENDED = 'ended_at_ms IS NOT NULL';

const IS_RESOLVED = "(status = 'resolved')";
const DUE_TRACKERS = `
  SELECT * FROM trackers WHERE last_message_link_id > summarised_link_id
  ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY tracker_id), owner_id LIMIT @limit`;
const WAITS = "status <> 'resolved' AND keywords <> ''";
const HEARS = `disabled IS NULL AND types LIKE '%"message.received"%'`;

/** From here on a waiting delivery can be tried. The index `deliveries_waiting` sorts by it. */
const READY_MS = 'max(d.due_ms, d.lease_until_ms)';
/** In which ranges of READY_MS a delivery can be due, as `deliveryAfter` judges it. */
const READY = { after: '-1', upTo: '@storeNowMs' };
/** The clock was set back. */
const OVERDUE = { after: `@storeNowMs + ${WAIT_MAX_MS}`, upTo: '9e18' };

/** Waiting deliveries of the endpoint `e` in a range of READY_MS. */
const WAITING = ({ after, upTo }: typeof READY) => `
  d.owner_id = e.owner_id AND d.endpoint_id = e.endpoint_id AND d.state = 'waiting'
  AND ${READY_MS} > ${after} AND ${READY_MS} <= ${upTo}
  AND (d.lease_until_ms <= @storeNowMs OR d.lease_until_ms > @storeNowMs + ${WAIT_MAX_MS})
  AND (d.due_ms <= @storeNowMs OR d.due_ms > @storeNowMs + ${WAIT_MAX_MS})`;
const DELIVERIES_WAITING = 'deliveries d INDEXED BY deliveries_waiting';

/**
 * The first @limit waiting deliveries of each endpoint in the range, and others that are ready in the same millisecond as
 * the last of them. Looks up that millisecond first: a subquery with IN would cost ten times as much.
 */
const FIRST_WAITING = ({ after, upTo }: typeof READY) => {
  const last = `coalesce((
    SELECT ${READY_MS} FROM ${DELIVERIES_WAITING} WHERE ${WAITING({ after, upTo })}
    ORDER BY ${READY_MS} LIMIT 1 OFFSET @limit - 1), ${upTo})`;
  return `
    SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM endpoints e
    CROSS JOIN ${DELIVERIES_WAITING} ON ${WAITING({ after, upTo: last })}
    CROSS JOIN events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE e.owner_id = @ownerId AND @limit > 0`;
};

/**
 * Every statement uses an index and reads a handful of rows, however many an owner has. Statements name the
 * index if SQLite, which has no statistics here, would otherwise scan all of an owner's rows.
 */
export const STATEMENTS: StatementTexts = {
  caller: `
    SELECT s.expires_at_ms AS secret_expires_at_ms, s.sealed_tokens, s.signature AS secret_signature,
      ${CREDENTIAL_COLUMNS},
      o.email, o.timezone, o.language, o.plans_kept_days, o.proof_for, o.plan, o.limits, o.active_account_id
    FROM secrets s
    JOIN credentials c ON c.owner_id = s.owner_id AND c.credential_id = s.credential_id
    JOIN owners o ON o.owner_id = s.owner_id
    WHERE s.secret_hash = @secretHash`,
  usage_of_secret: `
    SELECT u.credential_id, u.slot_id, u.time_ms, u.count FROM secrets s
    JOIN usage u ON u.owner_id = s.owner_id AND u.credential_id IN ('', s.credential_id)
    WHERE s.secret_hash = @secretHash`,
  usage_of_credential: `
    SELECT credential_id, slot_id, time_ms, count FROM usage
    WHERE owner_id = @ownerId AND credential_id IN ('', @credentialId)`,
  accounts_of_secret: ACCOUNTS_OF('(SELECT owner_id FROM secrets WHERE secret_hash = @secretHash)'),
  secret: 'SELECT owner_id, credential_id FROM secrets WHERE secret_hash = @secretHash',
  slot: `
    SELECT credential_id, time_ms FROM usage WHERE owner_id = @ownerId AND slot_id = @slotId AND slot_id <> ''`,
  claim: 'SELECT * FROM claims WHERE owner_id = @ownerId AND credential_id = @credentialId AND key = @key',
  approval_of_claim: `
    SELECT a.* FROM claims c JOIN approvals a ON a.owner_id = c.owner_id AND a.approval_id = c.approval_id
    WHERE c.owner_id = @ownerId AND c.credential_id = @credentialId AND c.key = @key`,

  approval: 'SELECT * FROM approvals WHERE owner_id = @ownerId AND approval_id = @approvalId',
  plan: 'SELECT sealed_plan FROM plans WHERE owner_id = @ownerId AND approval_id = @approvalId',
  asked_plan: 'SELECT sealed_asked FROM plans WHERE owner_id = @ownerId AND approval_id = @approvalId',
  gists: `
    SELECT approval_id, sealed_gist FROM plans
    WHERE owner_id = @ownerId AND approval_id IN (SELECT value FROM json_each(@approvalIds))`,
  follow_up: 'SELECT 1 FROM follow_ups WHERE owner_id = @ownerId AND approval_id = @approvalId',
  standing_of_approval: `
    SELECT c.*, o.plan, o.limits FROM approvals a
    JOIN credentials c ON c.owner_id = a.owner_id AND c.credential_id = a.credential_id
    JOIN owners o ON o.owner_id = a.owner_id
    WHERE a.owner_id = @ownerId AND a.approval_id = @approvalId`,
  standing: `
    SELECT c.*, o.plan, o.limits FROM credentials c JOIN owners o ON o.owner_id = c.owner_id
    WHERE c.owner_id = @ownerId AND c.credential_id = @credentialId`,

  same_pending: `
    SELECT * FROM approvals INDEXED BY approvals_same
    WHERE owner_id = @ownerId AND request_hash = @requestHash AND state = 'pending'
      AND credential_id = @credentialId AND expires_at_ms > @nowMs`,
  same_unfinished: `
    SELECT * FROM approvals INDEXED BY approvals_same
    WHERE owner_id = @ownerId AND request_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
      AND credential_id = @credentialId AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)
    UNION ALL
    SELECT * FROM approvals INDEXED BY approvals_edited
    WHERE owner_id = @ownerId AND edited_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
      AND credential_id = @credentialId AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)
    ORDER BY created_at_ms DESC LIMIT 1`,
  target_pending: `
    SELECT a.* FROM waiting_targets w
    JOIN approvals a ON a.owner_id = w.owner_id AND a.approval_id = w.approval_id
    WHERE w.owner_id = @ownerId AND w.target IN (SELECT value FROM json_each(@targets))
      AND a.credential_id = @credentialId AND a.state = 'pending' AND a.expires_at_ms > @nowMs
    LIMIT 1`,
  same_of_owner: `
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
          AND ended_at_ms > @executedSinceMs)
      OR EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_edited
        WHERE owner_id = @ownerId AND edited_hash = @requestHash AND state = 'executed'
          AND ended_at_ms > @executedSinceMs) AS executed,
      EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_same
        WHERE owner_id = @ownerId AND request_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
          AND credential_id <> @credentialId
          AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs))
      OR EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_edited
        WHERE owner_id = @ownerId AND edited_hash = @requestHash AND state IN ('approved', 'outcome_unknown')
          AND credential_id <> @credentialId
          AND (ended_at_ms IS NULL OR ended_at_ms > @unfinishedSinceMs)) AS unfinished_elsewhere`,
  // A failed send was not sent. One with an unknown outcome may have been.
  direct_sends: `
    SELECT count(*) AS day, count(*) FILTER (WHERE filed_at_ms > @storeNowMs - @shortSendsMs) AS short
    FROM approvals INDEXED BY approvals_direct_sends
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND NOT asked AND sends
      AND filed_at_ms > @storeNowMs - @daySendsMs AND state <> 'failed'`,
  filed: `
    SELECT count(*) AS filed FROM approvals INDEXED BY approvals_asked
    WHERE owner_id = @ownerId AND credential_id = @credentialId AND asked
      AND filed_at_ms >= @storeNowMs - @storeNowMs % @dayMs`,
  waiting: `
    SELECT count(*) AS of_owner, count(*) FILTER (WHERE credential_id = @credentialId) AS of_key
    FROM approvals INDEXED BY approvals_open
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND state = 'pending' AND expires_at_ms > @nowMs`,

  lapsed: `
    SELECT a.*, p.sealed_plan FROM approvals a INDEXED BY approvals_lapsing
    LEFT JOIN plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
    WHERE a.state = 'approved' AND a.lease_until_ms <= @storeNowMs
      AND a.approval_id NOT IN (SELECT value FROM json_each(@running))
    ORDER BY row_number() OVER (PARTITION BY a.owner_id ORDER BY a.lease_until_ms), a.lease_until_ms
    LIMIT @limit`,
  due_follow_ups: `
    SELECT a.*, p.sealed_plan FROM follow_ups f INDEXED BY follow_ups_due
    JOIN approvals a ON a.owner_id = f.owner_id AND a.approval_id = f.approval_id
    LEFT JOIN plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
    WHERE f.due_at_ms <= @storeNowMs AND f.approval_id NOT IN (SELECT value FROM json_each(@running))
    ORDER BY row_number() OVER (PARTITION BY f.owner_id ORDER BY f.due_at_ms), f.due_at_ms LIMIT @limit`,
  overdue: `
    SELECT * FROM approvals WHERE state = 'pending' AND expires_at_ms <= @nowMs ORDER BY expires_at_ms`,

  credential: 'SELECT * FROM credentials WHERE owner_id = @ownerId AND credential_id = @credentialId',
  secrets: `
    SELECT owner_id, credential_id, secret_hash, expires_at_ms, sealed_tokens, signature FROM secrets
    WHERE owner_id = @ownerId AND credential_id = @credentialId`,
  secrets_of_owner: `
    SELECT owner_id, credential_id, secret_hash, expires_at_ms, sealed_tokens, signature FROM secrets
    WHERE owner_id = @ownerId`,
  pending: `
    SELECT * FROM approvals INDEXED BY approvals_open
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND state = 'pending'
    ORDER BY created_at_ms, approval_id`,
  unstarted: `
    SELECT * FROM approvals INDEXED BY approvals_open
    WHERE owner_id = @ownerId AND ended_at_ms IS NULL AND credential_id = @credentialId
      AND state = 'approved' AND started_at_ms IS NULL`,
  pending_targets: 'SELECT approval_id, target FROM waiting_targets WHERE owner_id = @ownerId',

  owner: 'SELECT * FROM owners WHERE owner_id = @ownerId',
  accounts: ACCOUNTS_OF('@ownerId'),
  account_health: 'SELECT * FROM account_health WHERE owner_id = @ownerId ORDER BY account_id, leg',
  credential_use: `
    SELECT c.credential_id, u.last_call_ms,
      (SELECT count(*) FROM approvals r INDEXED BY approvals_open
        WHERE r.owner_id = c.owner_id AND r.ended_at_ms IS NULL AND r.credential_id = c.credential_id
          AND r.state = 'pending') AS waiting
    FROM credentials c
    LEFT JOIN usage u ON u.owner_id = c.owner_id AND u.credential_id = c.credential_id AND u.slot_id = ''
    WHERE c.owner_id = @ownerId AND c.revoked_at_ms IS NULL`,
  credentials: `
    SELECT * FROM credentials WHERE owner_id = @ownerId ORDER BY created_at_ms DESC, credential_id DESC`,

  tracker_of_request: 'SELECT * FROM trackers WHERE owner_id = @ownerId AND request_id = @requestId',
  last_tracker: 'SELECT coalesce(max(tracker_id), 0) AS last_id FROM trackers WHERE owner_id = @ownerId',
  other_message_link: `
    SELECT coalesce((
      SELECT link_id FROM tracker_links INDEXED BY links_of_messages
      WHERE owner_id = @ownerId AND tracker_id = @trackerId AND kind = 'mail' AND link_id <> @linkId
      ORDER BY link_id DESC LIMIT 1), 0) AS last_id`,
  last_link: 'SELECT coalesce(max(link_id), 0) AS last_id FROM tracker_links WHERE owner_id = @ownerId',
  trackers_by_id: `
    SELECT * FROM trackers
    WHERE owner_id = @ownerId AND tracker_id IN (SELECT value FROM json_each(@trackerIds))`,
  links_by_target: `
    SELECT l.* FROM json_each(@trackerIds) t CROSS JOIN json_each(@targets) g
    CROSS JOIN tracker_links l ON l.owner_id = @ownerId AND l.tracker_id = t.value AND l.target = g.value`,
  inbox_reader: `
    SELECT l.fence, r.position FROM inbox_leases l
    LEFT JOIN inbox_readers r ON r.owner_id = l.owner_id AND r.account_id = l.account_id AND r.reader = @reader
    WHERE l.owner_id = @ownerId AND l.account_id = @accountId`,
  moved_into_inbox: `
    SELECT identity FROM moved_into_inbox
    WHERE owner_id = @ownerId AND account_id = @accountId
      AND identity IN (SELECT value FROM json_each(@identities))`,
  inbox_leases: 'SELECT account_id, fence, lease_until_ms FROM inbox_leases WHERE owner_id = @ownerId',
  inbox_readers: `
    SELECT account_id, reader, position, ended_ms FROM inbox_readers WHERE owner_id = @ownerId`,
  inboxes_to_watch: `
    SELECT a.owner_id, a.account_id, coalesce(l.lease_until_ms, 0) > @storeNowMs AS is_leased
    FROM accounts a
    LEFT JOIN inbox_leases l ON l.owner_id = a.owner_id AND l.account_id = a.account_id
    WHERE @all OR a.owner_id IN (
      SELECT owner_id FROM trackers WHERE ${WAITS}
      UNION SELECT owner_id FROM endpoints WHERE ${HEARS})
    ORDER BY a.owner_id, a.account_id`,

  accounts_to_check: `
    SELECT owner_id, account_id FROM accounts WHERE next_check_ms <= @nowMs
    ORDER BY next_check_ms, owner_id, account_id LIMIT @limit`,

  approvals_of_owner: page('approvals_of_owner'),
  open_of_owner: page('approvals_open', OPEN),
  ended_of_owner: page('approvals_of_owner', ENDED),
  approvals_of_credential: page('approvals_of_credential', OF_KEY),
  open_of_credential: page('approvals_open', OPEN, OF_KEY),
  ended_of_credential: page('approvals_of_credential', ENDED, OF_KEY),
  open_states: `
    SELECT owner_id, approval_id, state, 0 AS is_newest FROM approvals INDEXED BY approvals_open
    WHERE owner_id IN (SELECT value FROM json_each(@owners)) AND ${OPEN}
    UNION ALL
    SELECT a.owner_id, a.approval_id, a.state, 1 FROM json_each(@owners) AS watched
    JOIN approvals a ON a.owner_id = watched.value AND a.approval_id = (
      SELECT approval_id FROM approvals INDEXED BY approvals_of_owner WHERE owner_id = watched.value
      ORDER BY created_at_ms DESC, approval_id DESC LIMIT 1)`,

  known_recipients: `
    SELECT address, times FROM known_recipients
    WHERE owner_id = @ownerId AND account_id = @accountId
      AND address IN (SELECT value FROM json_each(@addresses))`,
  known_domains: `
    SELECT DISTINCT d.name, d.times
    FROM (SELECT DISTINCT name FROM known_domain_keys
      WHERE owner_id = @ownerId AND account_id = @accountId AND key IN (SELECT value FROM json_each(@domainKeys))) k
    CROSS JOIN known_domains n ON n.owner_id = @ownerId AND n.account_id = @accountId AND n.name = k.name
    CROSS JOIN known_domains d ON d.owner_id = @ownerId AND d.account_id = @accountId
      AND d.name IN (n.name, n.most_written) AND d.times > 0
    ORDER BY d.name`,
  relocated: `
    SELECT mark FROM relocated_messages
    WHERE owner_id = @ownerId AND mark IN (SELECT value FROM json_each(@marks))`,

  trackers: `
    SELECT * FROM trackers INDEXED BY trackers_by_state
    WHERE owner_id = @ownerId AND ${IS_RESOLVED} = @isResolved AND tracker_id < @before
    ORDER BY tracker_id DESC LIMIT @limit`,
  count_trackers: `
    SELECT count(*) AS total FROM trackers INDEXED BY trackers_by_state
    WHERE owner_id = @ownerId AND ${IS_RESOLVED} = @isResolved`,
  links: `
    SELECT * FROM tracker_links INDEXED BY links_of_tracker
    WHERE owner_id = @ownerId AND tracker_id = @trackerId AND link_id <= @upTo
    ORDER BY link_id DESC LIMIT @limit`,
  count_links: `
    SELECT count(*) AS total FROM tracker_links WHERE owner_id = @ownerId AND tracker_id = @trackerId`,
  waiting_trackers: `
    SELECT tracker_id, keywords, created_at_ms FROM trackers INDEXED BY trackers_waiting
    WHERE owner_id = @ownerId AND ${WAITS}
    ORDER BY tracker_id`,
  trackers_to_summarise: DUE_TRACKERS,
  messages_to_summarise: `
    SELECT l.* FROM (${DUE_TRACKERS}) t
    CROSS JOIN tracker_links l ON l.owner_id = t.owner_id AND l.link_id IN (
      SELECT link_id FROM tracker_links INDEXED BY links_of_messages
      WHERE owner_id = t.owner_id AND tracker_id = t.tracker_id AND kind = 'mail'
      ORDER BY link_id DESC LIMIT @messages)
    ORDER BY l.link_id DESC`,

  endpoints: `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE owner_id = @ownerId ORDER BY endpoint_id`,
  keys_of_endpoints: `
    SELECT ${CREDENTIAL_COLUMNS} FROM credentials c WHERE c.owner_id = @ownerId
      AND (c.credential_id = @credentialId
        OR c.credential_id IN (SELECT credential_id FROM endpoints WHERE owner_id = @ownerId))`,
  events_behind: `
    SELECT ${EVENT_COLUMNS} FROM events v WHERE owner_id = @ownerId
      AND sequence > (SELECT min(position) FROM endpoints WHERE owner_id = @ownerId AND disabled IS NULL)
    ORDER BY sequence LIMIT @limit`,
  // CROSS JOIN: in this order. Otherwise SQLite reads every delivery of the owner.
  due_deliveries: `${[READY, OVERDUE].map(FIRST_WAITING).join(' UNION ALL ')} ORDER BY due_ms, d.sequence`,
  deliveries_by_event: `
    SELECT ${DELIVERY_COLUMNS} FROM json_each(@names) n
    CROSS JOIN deliveries d ON d.owner_id = @ownerId AND d.endpoint_id = n.value ->> 0 AND d.sequence = n.value ->> 1`,
  deliveries: `
    SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM deliveries d
    JOIN events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE d.owner_id = @ownerId AND d.endpoint_id = @endpointId AND d.sequence < @before
    ORDER BY d.sequence DESC LIMIT @limit`,
  owners_with_deliveries: `
    SELECT owner_id FROM (
      SELECT DISTINCT e.owner_id FROM endpoints e JOIN owners o ON o.owner_id = e.owner_id
      WHERE (e.disabled IS NULL AND e.position < o.last_event_sequence)
        OR EXISTS (SELECT 1 FROM ${DELIVERIES_WAITING} WHERE ${WAITING(READY)})
        OR EXISTS (SELECT 1 FROM ${DELIVERIES_WAITING} WHERE ${WAITING(OVERDUE)})) AS waiting
    ORDER BY owner_id <= @after, owner_id LIMIT @limit`,

  pending_grants: 'SELECT * FROM pending_grants WHERE owner_id = @ownerId ORDER BY expires_at_ms, state_hash',
  any_owner: 'SELECT 1 FROM owners LIMIT 1',
  clock: 'SELECT @storeNowMs AS now_ms',
};

/** Each may need several statements. */
export const WRITES: Readonly<Record<WriteStatement, readonly string[]>> = {
  count_call: [
    `
    INSERT INTO usage (owner_id, credential_id, slot_id, time_ms, count, last_call_ms)
    VALUES (@owner_id, '', '', @day_ms, @day_count, NULL),
      (@owner_id, @credential_id, '', @minute_ms, @minute_count, @at_ms),
      (@owner_id, @credential_id, @slot_id, @lease_until_ms, 1, NULL)
    ON CONFLICT DO UPDATE
    SET time_ms = excluded.time_ms, count = excluded.count, last_call_ms = excluded.last_call_ms`,
  ],
  add_targets: [
    `
    INSERT INTO waiting_targets (owner_id, target, approval_id)
    SELECT @owner_id, value, @approval_id FROM json_each(@targets) WHERE true ON CONFLICT DO NOTHING`,
  ],
  add_domain_keys: [
    `
    INSERT INTO known_domain_keys (owner_id, account_id, key, name)
    SELECT o.owner_id, @account_id, k.value, n.value ->> 0
    FROM owners o CROSS JOIN json_each(@domain_keys) n CROSS JOIN json_each(n.value, '$[1]') k
    WHERE o.owner_id = @owner_id AND NOT EXISTS (SELECT 1 FROM known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n.value ->> 0)
    ON CONFLICT DO NOTHING`,
  ],
  count_domains: [
    `
    INSERT INTO known_domains (owner_id, account_id, name, times, most_written)
    SELECT o.owner_id, @account_id, d.value, sum(iif(r.address IS NULL, t.value, @added)), d.value
    FROM owners o, json_each(@addresses) a JOIN json_each(@times) t ON t.key = a.key
    JOIN json_each(@domains) d ON d.key = a.key AND d.value <> ''
    LEFT JOIN known_recipients r
      ON r.owner_id = @owner_id AND r.account_id = @account_id AND r.address = a.value
    WHERE o.owner_id = @owner_id GROUP BY d.value
    ON CONFLICT DO UPDATE SET times = times + excluded.times`,
  ],
  remember_recipients: [
    `
    INSERT INTO known_recipients (owner_id, account_id, address, since_ms, times)
    SELECT o.owner_id, @account_id, a.value, @since_ms, t.value
    FROM owners o, json_each(@addresses) a JOIN json_each(@times) t ON t.key = a.key
    WHERE o.owner_id = @owner_id
    ON CONFLICT DO UPDATE SET times = times + @added`,
  ],
  // Of two domains with equally many messages, the first in order of characters.
  rank_domains: [
    `
    INSERT INTO known_domains (owner_id, account_id, name, times, most_written)
    SELECT d.owner_id, d.account_id, n.value ->> 0, 0, d.name
    FROM json_each(@domain_endings) n CROSS JOIN known_domains d
    WHERE d.owner_id = @owner_id AND d.account_id = @account_id AND d.name = n.value ->> 1
    ON CONFLICT DO UPDATE SET most_written = excluded.most_written WHERE EXISTS (
      SELECT 1 FROM known_domains b JOIN known_domains d ON d.owner_id = b.owner_id AND d.account_id = b.account_id
      WHERE b.owner_id = @owner_id AND b.account_id = @account_id AND b.name = known_domains.most_written
        AND d.name = excluded.most_written AND (b.times, d.name) < (d.times, b.name))`,
  ],
  remember_relocated: [
    `
    INSERT INTO relocated_messages (owner_id, mark)
    SELECT @owner_id, value FROM json_each(@marks) WHERE true ON CONFLICT DO NOTHING`,
  ],
};

/** Rows that one statement erases, so that calls wait a few milliseconds at most. */
export const ERASED_AT_ONCE = 200;

/** Approvals whose plans their owners keep no longer: 86,400,000 ms are a day. One range of the index per owner. */
const ENDED_LONG_AGO = `
    SELECT a.owner_id, a.approval_id FROM owners o
    CROSS JOIN approvals a INDEXED BY approvals_erasable
    WHERE a.owner_id = o.owner_id AND a.has_plan
      AND a.ended_at_ms < @plansKeptUntilMs - o.plans_kept_days * 86400000
    LIMIT ${ERASED_AT_ONCE}`;

const OLD_EVENTS = `
    SELECT owner_id, sequence, type, position FROM events INDEXED BY events_by_time
    WHERE created_at_ms < @eventsBeforeMs ORDER BY created_at_ms, owner_id, sequence LIMIT ${ERASED_AT_ONCE}`;

const oldRows = (table: string, key: string, condition: string) => `
  DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ERASED_AT_ONCE})`;

/**
 * Each looks up at most `ERASED_AT_ONCE` old rows. Plans are erased, and their approvals record it. Events are erased
 * after the rows that belong to them.
 */
export const ERASE: readonly string[] = [
  `DELETE FROM plans WHERE (owner_id, approval_id) IN (${ENDED_LONG_AGO})`,
  `UPDATE approvals SET has_plan = 0, sealed_note = NULL, sealed_diff = NULL
  WHERE (owner_id, approval_id) IN (${ENDED_LONG_AGO})`,
  `DELETE FROM deliveries WHERE (owner_id, endpoint_id, sequence) IN (
    SELECT v.owner_id, e.endpoint_id, v.sequence FROM (${OLD_EVENTS}) v
    CROSS JOIN endpoints e ON e.owner_id = v.owner_id)`,
  // An event without a position is behind the last one.
  `UPDATE event_streams SET last_position = last_position + old.has_unnumbered, erased_position = max(
    erased_position, CASE old.has_unnumbered WHEN 1 THEN last_position + 1 ELSE old.newest END)
  FROM (
    SELECT type, coalesce(max(position), 0) AS newest, max(position IS NULL) AS has_unnumbered
    FROM (${OLD_EVENTS}) GROUP BY type) AS old
  WHERE old.type = event_streams.type`,
  `DELETE FROM events WHERE (owner_id, sequence) IN (SELECT owner_id, sequence FROM (${OLD_EVENTS}))`,
  oldRows('moved_into_inbox', 'owner_id, account_id, identity', 'at_ms < @eventsBeforeMs'),
  oldRows('reads', 'owner_id, read_id', 'at_ms < @readsBeforeMs'),
  oldRows('claims', 'owner_id, credential_id, key', 'created_at_ms < @claimsBeforeMs'),
  oldRows('password_tries', 'row_number', 'forgotten_ms < @passwordTriesBeforeMs'),
];

/**
 * Erases the oldest rows of each owner, up to the first one that is kept: no gap arises between rows, even if the clock
 * was changed.
 */
export const ERASE_ACTIVITY = `
  DELETE FROM activity WHERE (owner_id, activity_id) IN (
    SELECT a.owner_id, a.activity_id FROM owners o
    CROSS JOIN activity a NOT INDEXED
    WHERE a.owner_id = o.owner_id AND a.activity_id < coalesce(
      (SELECT activity_id FROM (
          SELECT activity_id, at_ms FROM activity NOT INDEXED WHERE owner_id = o.owner_id
          ORDER BY activity_id LIMIT ${ERASED_AT_ONCE} + 1)
        WHERE at_ms >= @activityBeforeMs LIMIT 1), 9e18)
    LIMIT ${ERASED_AT_ONCE})
  RETURNING owner_id, activity_id`;

/**
 * Of one owner, whose rows are erased up to @lastId: checkpoints whose rows are erased, and those of the next checkpoint
 * too.
 */
export const ERASE_CHECKPOINTS = `
  DELETE FROM checkpoints WHERE owner_id = @ownerId AND number < coalesce(
    (SELECT number FROM checkpoints
      WHERE owner_id = @ownerId AND (hour_ms >= @activityBeforeMs OR last_id > @lastId)
      ORDER BY number LIMIT 1),
    (SELECT max(number) + 1 FROM checkpoints WHERE owner_id = @ownerId)) - 1`;

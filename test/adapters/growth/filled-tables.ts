/** Rows for measuring statements: as many in each table as requested, of one owner or of several. */

/** How many rows each table gets, and of how many owners. */
export interface Scale {
  readonly rows: number;
  readonly owners: number;
}

/** The newest row is this old at most: a minute passes from one row to the next. */
export const NOW_MS = 1_800_000_000_000;
const STEP_MS = 60_000;

/** When row `n` of a table was written. The newest is a minute old. */
export function writtenMs(n: number, { rows }: Scale): number {
  return NOW_MS - (rows - n) * STEP_MS;
}

/** A column of a table, as the catalogue of either database describes it. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'number' | 'boolean';
  readonly isNullable: boolean;
}

/** SQL that both databases understand, of a row number `i`, which starts at 0. */
type Expression = string;

/** The number of a row among those of its owner, from 0. */
const OF_OWNER = '(i / :owners)';
const NUMBER: Expression = `${OF_OWNER} + 1`;
const KEY: Expression = `'key' || (${OF_OWNER} % 3)`;
const APPROVAL: Expression = `'apr_' || ${OF_OWNER}`;
const UNIQUE = (prefix: string): Expression => `'${prefix}' || i`;
const OF_OWNER_UNIQUE = (prefix: string): Expression => `'${prefix}' || ${OF_OWNER}`;

/**
 * Requests that have not ended: a handful, whatever else is stored, among the oldest. The first that waits has no key that
 * other rows use.
 */
const OPEN_REQUESTS = 12;
const IS_OPEN = `i < ${OPEN_REQUESTS}`;
const isAmong = (from: number, until: number) => `i >= ${from} AND i < ${until}`;

/** An owner has a few of these, however long the service runs. */
const FEW = 10;
const TABLES_WITH_FEW = [
  ...['account_health', 'accounts', 'inbox_leases', 'inbox_readers', 'pending_grants'],
  ...['credentials', 'secrets', 'usage'],
  ...['devices', 'sessions', 'session_proofs'],
  ...['endpoints', 'notice_channels', 'waiting_targets'],
];

const DOMAIN: Expression = `'company' || ${OF_OWNER} || '.example'`;

const COLUMNS: Readonly<Record<string, Readonly<Record<string, Expression>>>> = {
  '*': {
    owner_id: "'owner' || (i % :owners)",
    credential_id: KEY,
    approval_id: APPROVAL,
    account_id: '1',
    tool: `'tool_' || (${OF_OWNER} % 20)`,
  },
  accounts: { account_id: NUMBER, next_check_ms: String(NOW_MS * 2) },
  account_health: { account_id: NUMBER, server: "'reading'", state: "'working'", is_covered: 'true' },
  activity: { activity_id: NUMBER, kind: "'call'", shown: "'[]'", listed: "'[]'" },
  approvals: {
    state: `CASE WHEN ${isAmong(0, 5)} THEN 'pending' WHEN ${isAmong(5, OPEN_REQUESTS)} THEN 'approved'
      WHEN i % 50 = 0 THEN 'rejected' WHEN i % 50 = 1 THEN 'outcome_unknown' ELSE 'executed' END`,
    precedent: `CASE WHEN ${isAmong(0, 5)} THEN 'pending' WHEN ${isAmong(5, OPEN_REQUESTS)} THEN 'unfinished'
      WHEN i % 50 = 0 THEN 'rejected' WHEN i % 50 = 1 THEN 'unfinished' ELSE 'executed' END`,
    precedent_until_ms: `CASE WHEN ${IS_OPEN} THEN ${2 * NOW_MS} ELSE :at + 3600000 END`,
    permission_group: "'mail:send'",
    expires_at_ms: `CASE WHEN ${IS_OPEN} THEN ${2 * NOW_MS} ELSE :at END`,
    ended_at_ms: `CASE WHEN ${IS_OPEN} THEN NULL ELSE :at END`,
    started_at_ms: `CASE WHEN ${isAmong(5, 8)} THEN NULL ELSE :at END`,
    lease_until_ms: ':at',
    fence: '1',
    asked: '(i % 3 > 0)',
    counts_as_send: '(i % 6 = 3)',
    request_hash: OF_OWNER_UNIQUE('request'),
    similar_hash: OF_OWNER_UNIQUE('similar'),
    edited_hash: `CASE WHEN i % 10 = 0 THEN ${OF_OWNER_UNIQUE('edited')} END`,
    is_covered: 'true',
    has_plan: 'true',
  },
  checkpoints: {
    number: NUMBER,
    first_id: NUMBER,
    last_id: `${NUMBER} - CASE WHEN ${OF_OWNER} >= (:rows / :owners) - 3 THEN 1 ELSE 0 END`,
    row_count: '1',
    hour_ms: ':at',
  },
  claims: { key: OF_OWNER_UNIQUE('idempotency') },
  credentials: { credential_id: OF_OWNER_UNIQUE('key'), modes: "'{}'" },
  deliveries: {
    endpoint_id: `1 + ${OF_OWNER} % 10`,
    sequence: NUMBER,
    state: "CASE WHEN i < 20 THEN 'waiting' ELSE 'delivered' END",
    log: "'[]'",
  },
  devices: { device_hash: OF_OWNER_UNIQUE('device') },
  endpoints: {
    endpoint_id: NUMBER,
    position: '(:rows / :owners) - 2',
    types: `'["message.received"]'`,
    takes_mail: 'true',
  },
  event_numbers: {
    event_id: NUMBER,
    uid: OF_OWNER_UNIQUE('uid'),
    calendar: "'calendar'",
    recurrence_id: "''",
    document_name: "''",
    key_hash: OF_OWNER_UNIQUE('event'),
  },
  event_streams: {
    type: "CASE i WHEN 0 THEN 'approval.decided' ELSE 'message.received' END",
    last_position: ':rows',
  },
  events: {
    sequence: NUMBER,
    type: "'approval.decided'",
    position: 'CASE WHEN i < :rows - 3 THEN i + 1 END',
    data: "'{}'",
  },
  follow_ups: { due_at_ms: `CASE WHEN i < 5 THEN 0 ELSE ${2 * NOW_MS} END` },
  inbox_leases: { account_id: NUMBER },
  inbox_readers: { account_id: NUMBER, reader: "'links'" },
  known_domain_keys: { key: `${OF_OWNER} * 1000003`, name: DOMAIN },
  known_domains: { name: DOMAIN, times: '1', most_written: DOMAIN },
  known_recipients: {
    address: `'person' || ${OF_OWNER} || '@' || ${DOMAIN}`,
    times: '1',
  },
  moved_into_inbox: { identity: OF_OWNER_UNIQUE('identity') },
  notice_channels: { channel_id: OF_OWNER_UNIQUE('channel'), kind: "'ntfy'" },
  notice_settings: { owner_id: "'owner' || i" },
  owners: {
    owner_id: "'owner' || i",
    email: UNIQUE('owner@'),
    email_folded: UNIQUE('owner@'),
    last_account_id: ':rows / :owners',
    last_event_sequence: ':rows / :owners + 2',
    plans_kept_days: '365',
    proof_for: "'every_12_hours'",
    language: "'en-GB'",
    passkey_handle: UNIQUE('handle'),
  },
  password_tries: { row_number: 'i', forgotten_ms: ':at' },
  pending_grants: { state_hash: OF_OWNER_UNIQUE('state') },
  plans: { sealed_plan: "'plan'" },
  message_handles: { handle: NUMBER },
  reads: { read_id: OF_OWNER_UNIQUE('read'), hashes: "'hashes'" },
  relocated_messages: { mark: OF_OWNER_UNIQUE('mark') },
  removed_owners: { owner_hash: UNIQUE('owner hash') },
  secrets: {
    secret_hash: `'secret' || (i % :owners) || '/' || ${OF_OWNER}`,
    credential_id: OF_OWNER_UNIQUE('key'),
  },
  session_proofs: { session_id: OF_OWNER_UNIQUE('session'), nonce: "'nonce'" },
  sessions: {
    session_id: OF_OWNER_UNIQUE('session'),
    token_hash: UNIQUE('token'),
    expires_at_ms: String(2 * NOW_MS),
  },
  tracker_links: {
    link_id: NUMBER,
    tracker_id: `1 + ${OF_OWNER} % 3`,
    target: OF_OWNER_UNIQUE('target'),
    kind: "'mail'",
  },
  trackers: {
    tracker_id: NUMBER,
    request_id: OF_OWNER_UNIQUE('request'),
    status: `CASE WHEN i < 20 THEN 'open' ELSE 'resolved' END`,
    keywords: `CASE WHEN i < 20 THEN 'word' ELSE '' END`,
    is_resolved: '(i >= 20)',
    takes_mail: '(i < 20)',
    last_message_link_id: 'CASE WHEN i < 3 THEN 1 ELSE 0 END',
  },
  usage: { credential_id: OF_OWNER_UNIQUE('key'), slot_id: "''" },
  waiting_targets: { target: OF_OWNER_UNIQUE('target') },
};

/**
 * Returns the statement that fills a table.
 * @param series  SQL of a table with one column `i`, the numbers from 0 up to below `rows`
 */
export function fillStatement(
  table: string,
  columns: readonly Column[],
  scale: Scale,
  dialect: { readonly prefix: string; readonly series: (rows: number) => string },
): string {
  const rows = rowsOf(table, scale);
  const values = columns.map((column) => expressionOf(table, column));
  const text = `INSERT INTO ${dialect.prefix}${table} (${columns.map(({ name }) => name).join(', ')})
    SELECT ${values.join(', ')} FROM ${dialect.series(rows)}`;
  return text
    .replaceAll(':rows', String(scale.rows))
    .replaceAll(':owners', String(scale.owners))
    .replaceAll(':at', `(${NOW_MS} - (${rows} - i) * ${STEP_MS})`);
}

function rowsOf(table: string, { rows, owners }: Scale): number {
  if (table === 'owners' || table === 'notice_settings') return owners;
  // A row for each kind of event that has listeners.
  if (table === 'event_streams') return 2;
  // The link of the first run is gone once there is an owner.
  if (table === 'setup_link') return 0;
  return TABLES_WITH_FEW.includes(table) ? FEW * owners : rows;
}

function expressionOf(table: string, column: Column): Expression {
  const given = COLUMNS[table]?.[column.name] ?? COLUMNS['*']?.[column.name];
  if (given !== undefined) return given;
  if (column.isNullable) return 'NULL';
  if (column.name.endsWith('_ms')) return ':at';
  if (column.type === 'boolean') return 'false';
  return column.type === 'text' ? "'x'" : '0';
}

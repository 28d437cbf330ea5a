import { NOW_MS, type Scale, writtenMs } from './filled-tables.ts';

/** Values for the parameters of every statement, by name: rows of `filled-tables.ts`, or ones that nobody stored. */

export type Value = string | number | boolean | null | readonly (string | number)[];

/**
 * `found`: what the statement looks for is stored. `unused`: the owner and the key are, but nothing else that is looked for.
 * `absent`: only the owner is. `due`: work of the background is due for ten rows.
 */
export const CASES = ['found', 'unused', 'absent', 'due'] as const;
export type Case = (typeof CASES)[number];

const DAY_MS = 86_400_000;

/** @throws Error if a statement has a parameter that is not listed here */
export function valueFor(name: string, scale: Scale, which: Case): Value {
  const value = VALUES[name];
  if (value === undefined)
    throw new Error(`test/adapters/growth/statement-values.ts lacks a value for @${name}.`);
  return typeof value === 'function' ? value(scale, which) : value;
}

export function hasValue(name: string): boolean {
  return name in VALUES;
}

type Chosen = (scale: Scale, which: Case) => Value;

const isAbsent = (which: Case) => which === 'absent' || which === 'unused';
const unless =
  (found: Value, absent: Value): Chosen =>
  (_, which) =>
    isAbsent(which) ? absent : found;
/** The number of an owner's row in the middle, or one behind the last. */
const number: Chosen = ({ rows, owners }, which) =>
  isAbsent(which) ? 2 * rows : Math.max(1, Math.floor(rows / owners / 2));
const named =
  (prefix: string): Chosen =>
  (scale, which) =>
    isAbsent(which) ? 'nothing' : `${prefix}${Number(number(scale, which)) - 1}`;
/** Between the tenth and the eleventh row from the oldest on. Otherwise nothing is due. */
const dueBefore: Chosen = (scale, which) => (which === 'due' ? writtenMs(10, scale) - 1 : 0);
const list =
  (chosen: Chosen): Chosen =>
  (scale, which) => [chosen(scale, which) as string | number];

const owner = 'owner0';
const credential: Chosen = (_, which) => (which === 'absent' ? 'nothing' : 'key1');
const request = named('apr_');

const domain = (scale: Scale, which: Case) => `company${number(scale, which)}.example`;

const VALUES: Readonly<Record<string, Value | Chosen>> = {
  // Who.
  ownerId: owner,
  owner_id: owner,
  owners: [owner],
  ownerIds: [owner],
  owner_hash: named('owner hash'),
  credentialId: credential,
  credential_id: credential,
  secretHash: unless('secret0/1', 'nothing'),
  secret_hash: unless('secret0/1', 'nothing'),
  accountId: 1,
  account_id: 1,
  session_id: named('session'),
  token_hash: unless('token0', 'nothing'),
  email_folded: unless('owner@0', 'nobody@0'),
  passkey_handle: unless('handle0', 'nothing'),
  first: 1,
  second: 2,
  addresses: (scale, which) => [`person${number(scale, which)}@${domain(scale, which)}`],
  domains: list(domain),
  domain_keys: (scale, which) => JSON.stringify([[domain(scale, which), [1, 2, 3]]]),
  domain_endings: (scale, which) => JSON.stringify([['example', domain(scale, which)]]),
  domainKeys: (scale, which) => [Number(number(scale, which)) * 1_000_003],

  // Requests.
  approvalId: request,
  approval_id: request,
  approvalIds: list(request),
  requestHash: named('request'),
  similarHash: named('similar'),
  targets: list(named('target')),
  running: [],
  key: named('idempotency'),
  slotId: unless('', 'nothing'),
  slot_id: 'slot',
  nonce: 'nonce',

  // Mail, calendars and trackers.
  marks: list(named('mark')),
  identities: list(named('identity')),
  reader: 'links',
  trackerId: unless(2, 200_000),
  trackerIds: (_, which) => (isAbsent(which) ? [200_000] : [2]),
  linkId: number,
  eventId: number,
  event_id: 9_000_000,
  requestId: named('request'),
  key_hash_list: list(named('event')),
  hashes: 'hashes',
  uid: 'new',
  calendar: 'calendar',
  recurrence_id: '',
  document_name: '',
  key_hash: 'new',
  isResolved: true,
  all: false,
  row_number_list: [1, 2, 3],

  // Events.
  endpointId: unless(3, 200_000),
  names: (scale, which) => `[[3,${number(scale, which)}]]`,
  type: 'approval.decided',

  // Activity and reads.
  tool: unless('tool_3', 'nothing'),
  read_id: 'new',
  read_id_list: list(named('read')),

  // Places in lists, and how much is read.
  limit: 20,
  stretch: 200,
  messages: 5,
  after: (_, which) => (which === 'absent' ? 'x' : ''),
  upTo: Number.MAX_SAFE_INTEGER,
  after_id: (scale) => Number(number(scale, 'found')) - 1,
  up_to_id: (scale) => Number(number(scale, 'found')) + 20,
  before: Number.MAX_SAFE_INTEGER,
  id: 'zzz',
  activity_id: Number.MAX_SAFE_INTEGER,
  position: number,
  sequence: (scale) => Number(number(scale, 'found')) - 1,
  before_id: 'zzz',
  from_ms: 0,
  after_ms: 0,
  lastId: 10,
  createdAtMs: 2 * NOW_MS,
  atMs: 2 * NOW_MS,
  before_ms: 2 * NOW_MS,

  // Times.
  nowMs: NOW_MS,
  storeNowMs: NOW_MS,
  dayMs: DAY_MS,
  daySendsMs: DAY_MS,
  shortSendsMs: 600_000,
  unfinishedSinceMs: NOW_MS - DAY_MS,
  rejectedSinceMs: NOW_MS - 3_600_000,
  executedSinceMs: NOW_MS - 3_600_000,
  plansKeptUntilMs: (scale, which) => (which === 'due' ? writtenMs(22, scale) - 1 + 365 * DAY_MS : 0),
  eventsBeforeMs: dueBefore,
  activityBeforeMs: dueBefore,
  claimsBeforeMs: dueBefore,
  readsBeforeMs: dueBefore,
  passwordTriesBeforeMs: dueBefore,

  // What is written.
  setup_hash: null,
  added: 1,
  times: [1],
  outcome: 'ok',
  kind: 'call',
  shown: '[]',
  listed: '[]',
  data: '{}',
  limits: '{}',
  email: 'new',
  timezone: 'UTC',
  language: 'en-GB',
  plan: 'paid',
  plans_kept_days: 30,
  proof_for: 'always',
  sealed: 'sealed',
  phrases: '',
  password_hash: null,
  minute_count: 1,
  day_count: 1,
  duration_ms: 1,
  ...Object.fromEntries(
    ['at_ms', 'now_ms', 'created_at_ms', 'expires_at_ms', 'lease_until_ms', 'since_ms', 'time_ms']
      .concat(['minute_ms', 'day_ms', 'until_ms'])
      .map((name) => [name, NOW_MS]),
  ),
};

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
  owner_id: owner,
  owner_id_list: [owner],
  owner_hash: named('owner hash'),
  credential_id: credential,
  secret_hash: unless('secret0/1', 'nothing'),
  account_id: 1,
  session_id: named('session'),
  token_hash: unless('token0', 'nothing'),
  email_folded: unless('owner@0', 'nobody@0'),
  passkey_handle: unless('handle0', 'nothing'),
  first: 1,
  second: 2,
  address_list: (scale, which) => [`person${number(scale, which)}@${domain(scale, which)}`],
  domain_list: list(domain),
  domain_keys: (scale, which) => JSON.stringify([[domain(scale, which), [1, 2, 3]]]),
  domain_endings: (scale, which) => JSON.stringify([['example', domain(scale, which)]]),
  handle_list: list(number),
  key_list: (scale, which) => [Number(number(scale, which)) * 1_000_003],

  // Requests.
  approval_id: request,
  approval_id_list: list(request),
  request_hash: named('request'),
  similar_hash: named('similar'),
  target_list: list(named('target')),
  running_list: [],
  key: named('idempotency'),
  slot_id: 'slot',
  nonce: 'nonce',

  // Mail, calendars and trackers.
  mark_list: list(named('mark')),
  identity_list: list(named('identity')),
  reader: 'links',
  tracker_id: unless(2, 200_000),
  tracker_id_list: list(unless(2, 200_000)),
  link_id: number,
  target: named('target'),
  event_id: 9_000_000,
  request_id: named('request'),
  key_hash_list: list(named('event')),
  hashes: 'hashes',
  uid: 'new',
  calendar: 'calendar',
  recurrence_id: '',
  document_name: '',
  key_hash: 'new',
  is_resolved: true,
  all: false,
  row_number_list: [1, 2, 3],

  // Events.
  endpoint_id: unless(3, 200_000),
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
  up_to: Number.MAX_SAFE_INTEGER,
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
  last_id: 10,
  created_at_ms: 2 * NOW_MS,
  at_ms: 2 * NOW_MS,
  before_ms: 2 * NOW_MS,

  // Times.
  now_ms: NOW_MS,
  store_now_ms: NOW_MS,
  due_by_ms: NOW_MS,
  day_ms: DAY_MS,
  day_sends_ms: DAY_MS,
  short_sends_ms: 600_000,
  plans_kept_until_ms: (scale, which) => (which === 'due' ? writtenMs(22, scale) - 1 + 365 * DAY_MS : 0),
  events_before_ms: dueBefore,
  activity_before_ms: dueBefore,
  claims_before_ms: dueBefore,
  message_handles_before_ms: dueBefore,
  reads_before_ms: dueBefore,
  password_tries_before_ms: dueBefore,

  // What is written.
  setup_hash: null,
  added: 1,
  times_list: [1],
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
  password_signature: 'signature',
  second_step_signature: 'signature',
  minute_count: 1,
  day_count: 1,
  duration_ms: 1,
  ...Object.fromEntries(
    ['expires_at_ms', 'lease_until_ms', 'since_ms', 'time_ms', 'minute_ms', 'until_ms'].map((name) => [
      name,
      NOW_MS,
    ]),
  ),
};

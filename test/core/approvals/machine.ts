import {
  type Approval,
  type ApprovalEvent,
  type Approved,
  newApproval,
  type Pending,
} from '../../../core/approvals/approval.ts';

/** One approval in each place of the machine, and one event of each kind that moves it. */

export const NOON = new Date('2026-03-10T12:00:00.000Z');
export const at = (ms: number): Date => new Date(NOON.getTime() + ms);
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** The store's clock has nothing to do with the service's. */
export const STORE_MS = 5_000_000;
export const LEASE_END_MS = STORE_MS + 30_000;

export const REQUEST = {
  ownerId: 'owner',
  id: 'apr_1',
  credentialId: 'key_1',
  accountId: 1,
  tool: 'send_email',
  group: 'mail:send',
  action: 'send',
  digest: 'seen',
} as const;

const ASKED = { kind: 'ask', reasons: ['mode_approval'] } as const;
export const PENDING = newApproval(REQUEST, ASKED, LEASE_END_MS, NOON) as Pending;
export const BY_POLICY = newApproval(REQUEST, { kind: 'run' }, LEASE_END_MS, NOON) as NotStarted;
export const BY_OWNER: NotStarted = {
  ...PENDING,
  state: 'approved',
  authorization: { by: 'owner', at: NOON, decidedIn: null, edit: null },
  fence: 1,
  leaseUntilMs: LEASE_END_MS,
  startedAt: null,
  error: null,
};

type NotStarted = Extract<Approved, { startedAt: null }>;

/** What is left of an approved request when it has ended. */
const left = ({ leaseUntilMs: _until, error: _cause, ...rest }: NotStarted) => ({ ...rest, endedAt: NOON });

export const PLACES = {
  pending: PENDING,
  'approved by owner': BY_OWNER,
  'approved by policy': BY_POLICY,
  'started, by owner': { ...BY_OWNER, startedAt: NOON, error: null },
  'started, by policy': { ...BY_POLICY, startedAt: NOON, error: null },
  executed: { ...left(BY_POLICY), state: 'executed', startedAt: NOON, result: { sent: true }, error: null },
  failed: { ...left(BY_POLICY), state: 'failed', error: 'interrupted', sizes: null },
  rejected: { ...PENDING, state: 'rejected', endedAt: NOON, decidedIn: null, rejection: null },
  expired: { ...PENDING, state: 'expired', endedAt: NOON },
  cancelled: { ...PENDING, state: 'cancelled', endedAt: NOON, error: 'cancelled_by_agent' },
  'outcome unknown': { ...left(BY_OWNER), state: 'outcome_unknown', startedAt: NOON },
} as const satisfies Record<string, Approval>;
export type Place = keyof typeof PLACES;

export const APPROVE = {
  type: 'approve',
  digest: 'seen',
  allowed: true,
  leaseUntilMs: LEASE_END_MS,
} as const;
export const RECLAIM = {
  type: 'reclaim',
  storeNowMs: LEASE_END_MS,
  leaseUntilMs: LEASE_END_MS + 30_000,
} as const;
const NOT_NOW = {
  type: 'not_now',
  fence: 1,
  error: 'upstream_mail_error',
  retryAtMs: LEASE_END_MS + 9000,
} as const;
export const START = { type: 'start', fence: 1, allowed: true } as const;
const REFUSE = { type: 'refuse', fence: 1, error: 'upstream_mail_error' } as const;

export const EVENTS = {
  approve: APPROVE,
  reject: { type: 'reject' },
  'reject with a reason': {
    type: 'reject',
    rejection: { reason: 'not_now', sealedNote: 'sealed' },
    decidedIn: 'ses_1',
  },
  'approve with changes': {
    ...APPROVE,
    edited: { digest: 'changed', edit: { requestHash: 'hash', sealedDiff: 'diff' } },
    decidedIn: 'app',
  },
  expire: { type: 'expire' },
  cancel: { type: 'cancel', error: 'credential_off' },
  start: START,
  refuse: REFUSE,
  'not now': NOT_NOW,
  succeed: { type: 'succeed', fence: 1, result: { sent: true } },
  lose: { type: 'lose', fence: 1 },
  pause: { type: 'pause' },
  reclaim: RECLAIM,
} as const satisfies Record<string, ApprovalEvent>;
export type EventName = keyof typeof EVENTS;

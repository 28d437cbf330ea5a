import { type Approval, type ApprovalEvent, newApproval } from '../../../core/approvals/approval.ts';

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

export const PENDING = newApproval(REQUEST, { kind: 'ask', reasons: ['mode_approval'] }, LEASE_END_MS, NOON);
export const BY_POLICY = newApproval(REQUEST, { kind: 'run' }, LEASE_END_MS, NOON);
export const BY_OWNER: Approval = {
  ...PENDING,
  state: 'approved',
  approvedBy: 'owner',
  decidedAt: NOON,
  approvedAt: NOON,
  lease: { fence: 1, untilMs: LEASE_END_MS },
};

export const PLACES = {
  pending: PENDING,
  'approved by owner': BY_OWNER,
  'approved by policy': BY_POLICY,
  'started, by owner': { ...BY_OWNER, startedAt: NOON },
  'started, by policy': { ...BY_POLICY, startedAt: NOON },
  executed: { ...BY_POLICY, state: 'executed', startedAt: NOON, executedAt: NOON, endedAt: NOON },
  failed: { ...BY_POLICY, state: 'failed', endedAt: NOON, error: 'interrupted' },
  rejected: { ...PENDING, state: 'rejected', decidedAt: NOON, endedAt: NOON },
  expired: { ...PENDING, state: 'expired', endedAt: NOON },
  cancelled: { ...PENDING, state: 'cancelled', endedAt: NOON, error: 'cancelled_by_agent' },
  'outcome unknown': { ...BY_OWNER, state: 'outcome_unknown', startedAt: NOON, endedAt: NOON },
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

import type { Group } from '../keys/permissions.ts';
import type { MessageSizes } from '../mail/message-sizes.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';

/**
 * The approval machine: states, events, and one table of transitions. Pure. Every storage verb that moves an
 * approval uses `transition`.
 */

/** How a request is filed: it runs at once, or is pending with the reasons. */
export type FilingVerdict =
  | { readonly kind: 'run' }
  | { readonly kind: 'ask'; readonly reasons: readonly string[] };

export const APPROVAL_STATES = [
  'pending',
  'approved',
  'executed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
  'outcome_unknown',
] as const;

export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Why an approval ended without its action, or not with all of it: an error code, or a reason that no code covers. */
export const APPROVAL_ERRORS = [
  'internal_error',
  'not_found',
  'upstream_mail_error',
  'password_refused',
  'sign_in_again',
  'cancelled_by_agent',
  'credential_off',
  'credential_paused',
  'permission_off',
  'account_removed',
  'interrupted',
  'not_started_in_time',
  'target_changed',
  'plan_unreadable',
  'message_too_large',
  'too_many_recipients',
  'outside_fence',
  'sent_copy_refused',
  /** Its decision was changed outside Countersign. */
  'altered',
] as const;

export type ApprovalError = (typeof APPROVAL_ERRORS)[number];

/** What the owner can mend while an approved request waits: the request is tried again, and says so until then. */
const OWNERS_CAUSES = ['password_refused', 'sign_in_again'] as const satisfies readonly ApprovalError[];

/** Why the owner rejected a request. */
export const REJECTION_REASONS = ['wrong_recipient', 'reword', 'not_now', 'suspicious', 'other'] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/**
 * The right to run an approval. It belongs to the holder of the fence until it expires by the store's clock.
 */
export interface Lease {
  readonly fence: number;
  /**
   * Milliseconds since the epoch on the store's clock; 0 once the lease was given back; `RESTORED_LEASE_MS` after a
   * restore.
   */
  readonly untilMs: number;
}

/**
 * The end of the lease of an approval that was approved when its database was backed up. It may have been carried out
 * since, so it never runs again.
 */
export const RESTORED_LEASE_MS = -1;

export interface Approval {
  readonly ownerId: string;
  /** `apr_` and 22 characters. */
  readonly id: string;
  readonly credentialId: string;
  readonly accountId: number | null;
  readonly tool: string;
  readonly group: Group;
  readonly action: string | null;
  readonly state: ApprovalState;
  /** Names of the holds and modes that made it wait; empty if it ran by policy. */
  readonly reasons: readonly string[];
  /** Who approved it: `policy` if the key may run it directly. */
  readonly approvedBy: 'owner' | 'policy' | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When the owner decided; null if nobody did. */
  readonly decidedAt: Date | null;
  /**
   * Where the owner decided: the id of a session of the dashboard, or `DECIDED_IN_APP`. Null: the owner did not decide.
   */
  readonly decidedIn: string | null;
  /** Why the owner rejected it. Null: it is not rejected, or the owner gave no reason. */
  readonly rejection: Rejection | null;
  /** What the owner changed before approving it. Null: nothing. */
  readonly edit: Edit | null;
  /** When the owner or policy approved it. It must start within 15 minutes of this. */
  readonly approvedAt: Date | null;
  readonly startedAt: Date | null;
  readonly executedAt: Date | null;
  /** When it reached a terminal state. */
  readonly endedAt: Date | null;
  readonly lease: Lease;
  /** SHA-256 of the plan, hex. It ensures that what the owner saw is what runs. */
  readonly digest: string;
  readonly result: Readonly<Record<string, unknown>> | null;
  /**
   * Why it ended without its action. While it is approved: why it is tried again later. The owner has to mend something, or
   * the server put it off. Once it is executed: what the server refuses to do after it, which is tried again.
   */
  readonly error: ApprovalError | null;
  /** Of a message that is too large. Null: it is not. */
  readonly sizes: MessageSizes | null;
}

export interface Rejection {
  readonly reason: RejectionReason;
  /** A line of the owner's, sealed. Null: there is none, or it was erased with the plan. */
  readonly sealedNote: string | null;
}

export interface Edit {
  /** SHA-256 of tool and resolved arguments as approved, hex. The request compares by it as well as by what was asked. */
  readonly requestHash: string;
  /** The difference between what was asked and what was approved, sealed. Null: it was erased with the plan. */
  readonly sealedDiff: string | null;
}

/** The value of `decidedIn` if the app that embeds Countersign decided for its user. */
export const DECIDED_IN_APP = 'app';

export const APPROVAL_LIFETIME_MS = DAY_MS;
/** An approved action that has not started within this time never will. */
export const START_WITHIN_MS = 15 * MINUTE_MS;

export function startsBefore(approvedAt: Date): Date {
  return new Date(approvedAt.getTime() + START_WITHIN_MS);
}

/** Whether an approved action may still start. */
export function isInTime({ approvedAt }: Pick<Approval, 'approvedAt'>, now: Date): boolean {
  return approvedAt !== null && now < startsBefore(approvedAt);
}

const TERMINAL: ReadonlySet<ApprovalState> = new Set([
  'executed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
  'outcome_unknown',
]);

export function isTerminal(state: ApprovalState): boolean {
  return TERMINAL.has(state);
}

export type ApprovalEvent =
  /**
   * The owner approves what the page with this digest showed. `allowed`: credential and permission are still on, and
   * the request is inside the fences. `edited`: the owner's changes to it, and the digest of the plan with them.
   */
  | {
      readonly type: 'approve';
      readonly digest: string;
      readonly allowed: boolean;
      readonly edited?: { readonly digest: string; readonly edit: Edit } | undefined;
      readonly decidedIn?: string | undefined;
      readonly leaseUntilMs: number;
    }
  | {
      readonly type: 'reject';
      readonly rejection?: Rejection | undefined;
      readonly decidedIn?: string | undefined;
    }
  | { readonly type: 'expire' }
  | { readonly type: 'cancel'; readonly error: ApprovalError }
  /** The next byte is irreversible. */
  | { readonly type: 'start'; readonly fence: number; readonly allowed: boolean }
  /** The provider refused, or nothing can be run. Nothing was done. */
  | {
      readonly type: 'refuse';
      readonly fence: number;
      readonly error: ApprovalError;
      readonly sizes?: MessageSizes | undefined;
    }
  /** The provider was unreachable, asked to try again later, or refused the account's password. Nothing was done. */
  | {
      readonly type: 'not_now';
      readonly fence: number;
      readonly error: ApprovalError;
      readonly retryAtMs: number;
    }
  | { readonly type: 'succeed'; readonly fence: number; readonly result: Readonly<Record<string, unknown>> }
  /** The provider's answer never came. */
  | { readonly type: 'lose'; readonly fence: number }
  /** The owner pauses the credential. What is approved and has not started ends. */
  | { readonly type: 'pause' }
  /** Another process takes over after a lease has lapsed. `storeNowMs` is the store's clock. */
  | { readonly type: 'reclaim'; readonly storeNowMs: number; readonly leaseUntilMs: number };

/** Creates an approval: pending, or approved by policy and leased to the process that files it. */
export function newApproval(
  request: Pick<
    Approval,
    'ownerId' | 'id' | 'credentialId' | 'accountId' | 'tool' | 'group' | 'action' | 'digest'
  >,
  verdict: FilingVerdict,
  leaseUntilMs: number,
  now: Date,
): Approval {
  const runs = verdict.kind === 'run';
  return {
    ...request,
    state: runs ? 'approved' : 'pending',
    reasons: verdict.kind === 'ask' ? verdict.reasons : [],
    approvedBy: runs ? 'policy' : null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + APPROVAL_LIFETIME_MS),
    decidedAt: null,
    decidedIn: null,
    rejection: null,
    edit: null,
    approvedAt: runs ? now : null,
    startedAt: null,
    executedAt: null,
    endedAt: null,
    lease: runs ? { fence: 1, untilMs: leaseUntilMs } : { fence: 0, untilMs: 0 },
    result: null,
    error: null,
    sizes: null,
  };
}

/**
 * Applies `event`.
 * @returns the next approval, or undefined if the event does not apply: then nothing changes
 * See the table in docs/architecture.md.
 */
export function transition(approval: Approval, event: ApprovalEvent, now: Date): Approval | undefined {
  const ended = (state: ApprovalState, error: ApprovalError | null): Approval => ({
    ...approval,
    state,
    error,
    endedAt: now,
    lease: { ...approval.lease, untilMs: 0 },
  });
  if (approval.state === 'pending') {
    const expired = now >= approval.expiresAt;
    switch (event.type) {
      case 'approve':
        if (expired || !event.allowed || event.digest !== approval.digest) return undefined;
        return {
          ...approval,
          state: 'approved',
          approvedBy: 'owner',
          decidedAt: now,
          decidedIn: event.decidedIn ?? null,
          digest: event.edited?.digest ?? approval.digest,
          edit: event.edited?.edit ?? null,
          approvedAt: now,
          lease: { fence: approval.lease.fence + 1, untilMs: event.leaseUntilMs },
        };
      case 'reject':
        if (expired) return undefined;
        return {
          ...ended('rejected', null),
          decidedAt: now,
          decidedIn: event.decidedIn ?? null,
          rejection: event.rejection ?? null,
        };
      case 'expire':
        return expired ? ended('expired', null) : undefined;
      case 'cancel':
        // Nobody decided in time, whether or not background work has recorded it.
        return expired ? ended('expired', null) : ended('cancelled', event.error);
      default:
        return undefined;
    }
  }
  if (approval.state !== 'approved' || approval.approvedAt === null) return undefined;
  if (event.type === 'reclaim') return reclaim(approval, event, now, ended);
  if (event.type === 'pause') {
    return approval.startedAt === null && approval.lease.untilMs !== RESTORED_LEASE_MS
      ? ended('failed', 'credential_paused')
      : undefined;
  }
  if (!('fence' in event) || event.fence !== approval.lease.fence) return undefined;
  if (event.type === 'refuse') return { ...ended('failed', event.error), sizes: event.sizes ?? null };
  const inTime = isInTime(approval, now);
  if (approval.startedAt === null) {
    switch (event.type) {
      case 'start':
        return inTime && event.allowed ? { ...approval, startedAt: now, error: null } : undefined;
      case 'not_now':
        if (approval.approvedBy === 'policy') return ended('failed', event.error);
        if (!inTime) return ended('failed', ownersCause(event.error) ?? 'not_started_in_time');
        return {
          ...approval,
          error: event.error === 'upstream_mail_error' ? event.error : ownersCause(event.error),
          lease: { ...approval.lease, untilMs: event.retryAtMs },
        };
      default:
        return undefined;
    }
  }
  switch (event.type) {
    case 'succeed':
      return { ...ended('executed', null), executedAt: now, result: event.result };
    case 'lose':
      return ended('outcome_unknown', null);
    default:
      return undefined;
  }
}

function reclaim(
  approval: Approval,
  event: Extract<ApprovalEvent, { type: 'reclaim' }>,
  now: Date,
  ended: (state: ApprovalState, error: ApprovalError | null) => Approval,
): Approval | undefined {
  if (event.storeNowMs < approval.lease.untilMs) return undefined;
  if (approval.lease.untilMs === RESTORED_LEASE_MS) return ended('outcome_unknown', null);
  const leased = { ...approval, lease: { fence: approval.lease.fence + 1, untilMs: event.leaseUntilMs } };
  if (approval.startedAt !== null) return leased;
  if (approval.approvedBy === 'policy') return ended('failed', 'interrupted');
  return isInTime(approval, now)
    ? leased
    : ended('failed', ownersCause(approval.error) ?? 'not_started_in_time');
}

/** The cause if the owner can mend it while an approved request waits; otherwise null. */
export function ownersCause(cause: string | null | undefined): (typeof OWNERS_CAUSES)[number] | null {
  return OWNERS_CAUSES.find((one) => one === cause) ?? null;
}

export const REPORTED_STATES = ['approved', 'rejected', 'executed', 'failed', 'outcome_unknown'] as const;
export type ReportedState = (typeof REPORTED_STATES)[number];

/** Returns the state that an `approval.decided` event reports after a change; undefined if there is no event. */
export function reportedState(before: Approval | undefined, after: Approval): ReportedState | undefined {
  if (before?.state === after.state) return undefined;
  switch (after.state) {
    case 'approved':
      return after.approvedBy === 'owner' ? 'approved' : undefined;
    case 'executed':
    case 'failed':
    case 'rejected':
    case 'outcome_unknown':
      return after.state;
    default:
      return undefined;
  }
}

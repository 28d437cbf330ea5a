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

/** Why an approved request is tried again: the server put it off, or the owner has to mend something. */
const RETRY_CAUSES = [
  'upstream_mail_error',
  'password_refused',
  'sign_in_again',
] as const satisfies readonly ApprovalError[];

export type RetryCause = (typeof RETRY_CAUSES)[number];

export type FollowUpError = Extract<ApprovalError, 'sent_copy_refused'>;

/** Why the owner rejected a request. */
export const REJECTION_REASONS = ['wrong_recipient', 'reword', 'not_now', 'suspicious', 'other'] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** What is known of a request in every state. */
export interface FiledApproval {
  readonly ownerId: string;
  /** `apr_` and 22 characters. */
  readonly id: string;
  readonly credentialId: string;
  readonly accountId: number | null;
  readonly tool: string;
  readonly group: Group;
  readonly action: string | null;
  /** Names of the holds and modes that made it wait; empty if it ran by policy. */
  readonly reasons: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** SHA-256 of the plan, hex. It ensures that what the owner saw is what runs. */
  readonly digest: string;
  /** Rises with each lease. Only the process that holds the newest lease may run the approval. */
  readonly fence: number;
}

/** Who let it run, and when: `policy` if the key may run it directly. It must start within 15 minutes of `at`. */
export type Authorization =
  | { readonly by: 'policy'; readonly at: Date }
  | {
      readonly by: 'owner';
      readonly at: Date;
      /** Where: the id of a session of the dashboard, or `DECIDED_IN_APP`. Null: it was not recorded. */
      readonly decidedIn: string | null;
      /** What the owner changed before approving it. Null: nothing. */
      readonly edit: Edit | null;
    };

/** A request, with what is known of it in its state. */
export type Approval = FiledApproval &
  (
    | { readonly state: 'pending' }
    | ({
        readonly state: 'approved';
        readonly authorization: Authorization;
        /**
         * Milliseconds since the epoch on the store's clock. Then another process may take it over. `restored`: it comes from
         * a backup. It may have been carried out since, so it never runs again.
         */
        readonly leaseUntilMs: number | 'restored';
      } & (
        | {
            readonly startedAt: null;
            /** Why it is tried again later. */
            readonly error: RetryCause | null;
          }
        | { readonly startedAt: Date; readonly error: null }
      ))
    | {
        readonly state: 'executed';
        readonly authorization: Authorization;
        readonly startedAt: Date;
        readonly endedAt: Date;
        readonly result: Readonly<Record<string, unknown>>;
        /** What the server refuses to do after it, which is tried again. */
        readonly error: FollowUpError | null;
      }
    | {
        readonly state: 'failed';
        readonly authorization: Authorization;
        readonly startedAt: Date | null;
        readonly endedAt: Date;
        readonly error: ApprovalError;
        /** Of a message that is too large. Null: it is not, or they are not known. */
        readonly sizes: MessageSizes | null;
      }
    | {
        readonly state: 'rejected';
        readonly endedAt: Date;
        /** As of an authorization. */
        readonly decidedIn: string | null;
        /** Null: the owner gave no reason. */
        readonly rejection: Rejection | null;
      }
    | { readonly state: 'expired'; readonly endedAt: Date }
    | { readonly state: 'cancelled'; readonly endedAt: Date; readonly error: ApprovalError }
    | {
        readonly state: 'outcome_unknown';
        readonly authorization: Authorization;
        /** Null: it had not started when its database was backed up. */
        readonly startedAt: Date | null;
        readonly endedAt: Date;
      }
  );

export type Pending = Extract<Approval, { readonly state: 'pending' }>;
export type Approved = Extract<Approval, { readonly state: 'approved' }>;
export type Executed = Extract<Approval, { readonly state: 'executed' }>;
export type Failed = Extract<Approval, { readonly state: 'failed' }>;

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
export function isInTime({ authorization }: Pick<Approved, 'authorization'>, now: Date): boolean {
  return now < startsBefore(authorization.at);
}

export function isByPolicy(approval: Approval): boolean {
  return 'authorization' in approval && approval.authorization.by === 'policy';
}

/** When and where the owner decided. Undefined: the owner did not. */
export function decisionOf(
  approval: Approval,
): { readonly at: Date; readonly decidedIn: string | null } | undefined {
  if (approval.state === 'rejected') return { at: approval.endedAt, decidedIn: approval.decidedIn };
  if (!('authorization' in approval) || approval.authorization.by === 'policy') return undefined;
  return approval.authorization;
}

/** What the owner changed before approving it. Null: nothing. */
export function editOf(approval: Approval): Edit | null {
  if (!('authorization' in approval) || approval.authorization.by === 'policy') return null;
  return approval.authorization.edit;
}

/** What keeps it from being done, or from being done in full. Null: nothing that has a name. */
export function errorOf(approval: Approval): ApprovalError | null {
  return 'error' in approval ? approval.error : null;
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
      readonly error: RetryCause;
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
  request: Omit<FiledApproval, 'reasons' | 'createdAt' | 'expiresAt' | 'fence'>,
  verdict: FilingVerdict,
  leaseUntilMs: number,
  now: Date,
): Pending | Approved {
  const filed = { ...request, createdAt: now, expiresAt: new Date(now.getTime() + APPROVAL_LIFETIME_MS) };
  if (verdict.kind === 'ask') return { ...filed, state: 'pending', reasons: verdict.reasons, fence: 0 };
  const authorization = { by: 'policy', at: now } as const;
  return approve({ ...filed, reasons: [], fence: 0, authorization }, leaseUntilMs);
}

/** Approved, and leased for the first time. */
function approve(
  authorized: FiledApproval & Pick<Approved, 'authorization'>,
  leaseUntilMs: number,
): Approved {
  const fence = authorized.fence + 1;
  return { ...authorized, state: 'approved', fence, leaseUntilMs, startedAt: null, error: null };
}

/**
 * Applies `event`.
 * @returns the next approval, or undefined if the event does not apply: then nothing changes
 * See the table in docs/architecture.md.
 */
export function transition(approval: Approval, event: ApprovalEvent, now: Date): Approval | undefined {
  switch (approval.state) {
    case 'pending':
      return movePending(approval, event, now);
    case 'approved':
      return moveApproved(approval, event, now);
    default:
      return undefined;
  }
}

function movePending(pending: Pending, event: ApprovalEvent, now: Date): Approval | undefined {
  const isExpired = now >= pending.expiresAt;
  switch (event.type) {
    case 'approve': {
      if (isExpired || !event.allowed || event.digest !== pending.digest) return undefined;
      const { digest = pending.digest, edit = null } = event.edited ?? {};
      const authorization = { by: 'owner', at: now, decidedIn: event.decidedIn ?? null, edit } as const;
      return approve({ ...pending, digest, authorization }, event.leaseUntilMs);
    }
    case 'reject': {
      if (isExpired) return undefined;
      const { decidedIn = null, rejection = null } = event;
      return { ...pending, state: 'rejected', endedAt: now, decidedIn, rejection };
    }
    case 'expire':
      return isExpired ? { ...pending, state: 'expired', endedAt: now } : undefined;
    case 'cancel':
      // Nobody decided in time, whether or not background work has recorded it.
      return isExpired
        ? { ...pending, state: 'expired', endedAt: now }
        : { ...pending, state: 'cancelled', endedAt: now, error: event.error };
    default:
      return undefined;
  }
}

function moveApproved(approved: Approved, event: ApprovalEvent, now: Date): Approval | undefined {
  const { leaseUntilMs, startedAt, error: cause, ...authorized } = approved;
  const failed = (error: ApprovalError, sizes: MessageSizes | null = null): Failed => ({
    ...authorized,
    ...{ state: 'failed', startedAt, endedAt: now, error, sizes },
  });
  const lost = (): Approval => ({
    ...authorized,
    state: 'outcome_unknown',
    startedAt,
    endedAt: now,
  });
  if (leaseUntilMs === 'restored') return event.type === 'reclaim' ? lost() : undefined;
  if ('fence' in event && event.fence !== approved.fence) return undefined;
  if (event.type === 'refuse') return failed(event.error, event.sizes);
  const isLate = !isInTime(approved, now);
  if (event.type === 'reclaim') {
    if (event.storeNowMs < leaseUntilMs) return undefined;
    if (startedAt === null && isByPolicy(approved)) return failed('interrupted');
    if (startedAt === null && isLate) return failed(tooLate(cause));
    return { ...approved, fence: approved.fence + 1, leaseUntilMs: event.leaseUntilMs };
  }
  if (startedAt !== null) {
    if (event.type === 'lose') return lost();
    if (event.type !== 'succeed') return undefined;
    const { result } = event;
    return { ...authorized, state: 'executed', startedAt, endedAt: now, result, error: null };
  }
  switch (event.type) {
    case 'start':
      return isLate || !event.allowed ? undefined : { ...approved, startedAt: now, error: null };
    case 'pause':
      return failed('credential_paused');
    case 'not_now':
      if (isByPolicy(approved)) return failed(event.error);
      if (isLate) return failed(tooLate(event.error));
      return { ...approved, startedAt, error: event.error, leaseUntilMs: event.retryAtMs };
    default:
      return undefined;
  }
}

/** Why it failed at the end of its time: what the owner could have mended, or that it did not start. */
function tooLate(cause: RetryCause | null): ApprovalError {
  return cause === null || cause === 'upstream_mail_error' ? 'not_started_in_time' : cause;
}

export function retryCause(cause: string | null | undefined): RetryCause | null {
  return RETRY_CAUSES.find((one) => one === cause) ?? null;
}

export const REPORTED_STATES = ['approved', 'rejected', 'executed', 'failed', 'outcome_unknown'] as const;
export type ReportedState = (typeof REPORTED_STATES)[number];

/** Returns the state that an `approval.decided` event reports after a change; undefined if there is no event. */
export function reportedState(before: Approval | undefined, after: Approval): ReportedState | undefined {
  if (before?.state === after.state) return undefined;
  switch (after.state) {
    case 'approved':
      return after.authorization.by === 'owner' ? 'approved' : undefined;
    case 'executed':
    case 'failed':
    case 'rejected':
    case 'outcome_unknown':
      return after.state;
    default:
      return undefined;
  }
}

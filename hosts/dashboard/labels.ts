import type { Untold } from '../../core/actions/change-event.ts';
import {
  type Approval,
  type ApprovalError,
  type ApprovalState,
  errorOf,
  type RejectionReason,
} from '../../core/approvals/approval.ts';
import { failedTargets, untoldOf } from '../../core/call/outcome.ts';
import { ERRORS, type ErrorCode } from '../../core/contract/errors.ts';
import type { DeliveryState } from '../../core/events/delivery.ts';
import type { DisabledReason } from '../../core/events/endpoint-health.ts';
import type { EventType } from '../../core/events/webhook-event.ts';
import type { Group, Mode } from '../../core/keys/permissions.ts';
import { tooLargeText } from '../../core/mail/message-sizes.ts';

/** Texts for the service's codes on the owner's pages. */

export const STATE_TITLES: Record<ApprovalState, string> = {
  pending: 'Pending',
  approved: 'Approved',
  executed: 'Executed',
  failed: 'Failed',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
  outcome_unknown: 'Outcome unknown',
};

const REASONS: Record<Exclude<ApprovalError, ErrorCode>, string> = {
  password_refused: 'The mail server refused the password of the account.',
  sign_in_again: 'The provider has withdrawn the sign-in of the account.',
  cancelled_by_agent: 'The program withdrew its request.',
  credential_off: 'Its key or sign-in is no longer valid.',
  credential_paused: 'You paused its key before it started.',
  permission_off: 'Its key lost the permission.',
  account_removed: 'The account was removed.',
  interrupted: 'The service was interrupted before it started.',
  not_started_in_time: 'It could not start within 15 minutes of the approval.',
  target_changed: 'The message or event has changed since the request.',
  plan_unreadable: 'The approved plan could no longer be read.',
  message_too_large: 'The message is larger than the mail server takes.',
  too_many_recipients: 'These are more recipients than the mail server takes at once.',
  outside_fence: 'It is outside the fences of its key.',
  sent_copy_refused: 'Its copy is not in your Sent folder: the mail server refuses it.',
  altered: 'Its approval was changed outside Countersign.',
};

/** Why a decision did not count, from the state that the request has now. Undefined: it is not known. */
export function whyNotDecided(state: ApprovalState | undefined): string {
  return state === undefined || state === 'pending'
    ? 'Its time is over, its key or permission has been switched off, or it is outside the fences of its key.'
    : `When you decided, it was already “${STATE_TITLES[state]}”.`;
}

/** What the state means to the owner. */
export function meaningForOwner(approval: Approval): string {
  switch (approval.state) {
    case 'pending':
      return 'It is waiting for you. Nothing has happened yet.';
    case 'approved':
      if (approval.error === 'upstream_mail_error') return PUT_OFF;
      if (approval.error === null) return 'It is approved and being carried out. It is not done yet.';
      return `It is approved, and not done yet. ${reasonOf(approval)} ${MENDED_IN_TIME}`;
    case 'executed': {
      const left = failedTargets(approval);
      const inPart = left && `It failed for ${left.undone} of ${left.of} messages.`;
      const done =
        approval.authorization.by === 'policy'
          ? 'It was carried out without asking you, as its key allows.'
          : `You ${approval.authorization.edit === null ? '' : 'changed it and '}approved it, and it was carried out.`;
      return [done, inPart, reasonOf(approval)].filter(Boolean).join(' ');
    }
    case 'failed':
      return `It was not carried out; nothing was done. ${reasonOf(approval)}`.trim();
    case 'rejected':
      return 'You rejected it. Nothing was done.';
    case 'expired':
      return 'Nobody decided in time. Nothing was done.';
    case 'cancelled':
      return `It was withdrawn. Nothing was done. ${reasonOf(approval)}`.trim();
    case 'outcome_unknown':
      return 'It may or may not have happened: the server never answered. Check the Sent folder or the calendar before you try again.';
  }
}

const PUT_OFF =
  'It is approved, and not done yet. Its server put it off or could not be reached: it is tried again by itself, up to 15 minutes after you approved it.';

const MENDED_IN_TIME =
  'Once you mend that under Accounts, it is carried out by itself, up to 15 minutes after you approved it.';

/** On the buttons that reject with a reason. */
export const REJECTION_TITLES: Record<RejectionReason, string> = {
  wrong_recipient: 'Wrong person',
  reword: 'Other words, please',
  not_now: 'Not now',
  suspicious: 'Suspicious',
  other: 'Another reason',
};

/** What the owner can do about a request that failed, or whose outcome is unknown. */
const ADVICE: Record<ApprovalError, string> = {
  internal_error: 'Try it again. If it fails again, the log of the server says more.',
  not_found: 'The message, folder or event was no longer there.',
  upstream_mail_error:
    'The server refused it, or could not be reached. Check the recipients, and under Accounts whether the account still works, before you try it again.',
  password_refused: 'Update the password under Accounts. Then you can try it again.',
  sign_in_again: 'Sign in to the provider again under Accounts. Then you can try it again.',
  cancelled_by_agent: 'You need not do anything. The program can ask again.',
  credential_off:
    'If the program should go on, give it a new key or a new sign-in. It then has to ask again.',
  credential_paused: 'Resume the key under Integrations if the program should go on. You can try it again.',
  permission_off: 'Give its key the permission again under Integrations if the program should go on.',
  account_removed: 'Connect the account again under Accounts. The program then has to ask again.',
  interrupted: 'Countersign stopped before it began. You can try it again.',
  not_started_in_time: 'Its server could not be reached for 15 minutes. You can try it again.',
  target_changed: 'Somebody changed it in the meantime. If you try it again, it is looked up anew.',
  plan_unreadable: 'It cannot be repaired. The program has to ask again.',
  message_too_large: 'Nobody got it. The program has to ask again, with less in it.',
  too_many_recipients: 'Nobody got it. The program has to ask again, for fewer recipients at a time.',
  outside_fence: 'Change the fences of its key under Integrations if it should be allowed.',
  altered: 'Find out who can write to the database: nobody but Countersign should.',
  sent_copy_refused:
    'Your mailbox may be full. Make room in it: the copy is saved by itself within a quarter of an hour.',
};

const UNTOLD_ATTENDEES: Record<Untold, string> = {
  not_confirmed:
    'Your calendar server does not say whether it has told the attendees. If it matters, ask one of them.',
  not_delivered: 'Your calendar server says that it could not tell all of the attendees. Tell them yourself.',
};

/** Undefined: there is nothing to do. */
export function adviceForOwner(approval: Approval): string | undefined {
  const untold = approval.state === 'executed' ? untoldOf(approval) : undefined;
  if (untold !== undefined) return UNTOLD_ATTENDEES[untold];
  if (approval.state === 'outcome_unknown') {
    return 'If it is not in the Sent folder or in the calendar, it may still arrive. Wait a while before you do it yourself. Countersign never repeats it.';
  }
  // What was approved is tried again by itself, and what it means says so.
  const error = errorOf(approval);
  return error === null || approval.state === 'approved' ? undefined : ADVICE[error];
}

function reasonOf(approval: Approval): string {
  const error = errorOf(approval);
  if (error === null) return '';
  if (approval.state === 'failed' && approval.sizes !== null) return tooLargeText(approval.sizes);
  return isReason(error) ? REASONS[error] : ERRORS[error].message;
}

function isReason(error: ApprovalError): error is keyof typeof REASONS {
  return error in REASONS;
}

export const GROUP_TITLES: Record<Group, string> = {
  'mail:read': 'Read mail',
  'mail:send': 'Send new mail',
  'mail:reply': 'Reply to mail',
  'mail:manage': 'Move, label and delete mail',
  'mail:organize': 'Mark mail as read or flagged',
  'calendar:read': 'Read the calendar',
  'calendar:write': 'Change the calendar',
  'trackers:read': 'Read trackers',
  'trackers:write': 'Change trackers',
  'trackers:remove': 'Resolve trackers',
};

export const MODE_TITLES: Record<Mode, string> = {
  off: 'off',
  on: 'on',
  approval: 'approval: asks you first',
  direct: 'direct: runs at once',
};

export const EVENT_TITLES: Record<EventType, string> = {
  'message.received': 'New mail',
  'approval.decided': 'Decided request',
  'webhook.test': 'Test event',
};

export const DELIVERY_TITLES: Record<DeliveryState, string> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
  dropped: 'Stopped',
};

/** Why an endpoint is disabled. */
export const DISABLED_TEXTS: Record<DisabledReason, string> = {
  gone: 'Its receiver answered 410 Gone, so nothing is sent to it any more.',
  failing: 'No delivery succeeded for five days, so nothing is sent to it any more.',
};

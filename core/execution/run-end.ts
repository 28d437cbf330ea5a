import { type Approved, type Failed, isInTime, retryCause } from '../approvals/approval.ts';
import type { Settlement } from '../approvals/run-storage.ts';
import { ServiceError } from '../contract/errors.ts';
import { MailError } from '../ports/mail.ts';

/** The result of a failed run for its approval, and for the caller of a direct write. */

/**
 * Returns the event of a failed run. It depends on whether the irreversible byte may have gone out.
 * @param isStarted  the store has recorded the start
 * @param retryMs  after this time, an action that could not be done now is due again
 */
export function endOf(
  error: unknown,
  isStarted: boolean,
  approval: Approved,
  now: Date,
  retryMs: number,
): Settlement['end'] {
  if (!(error instanceof MailError)) {
    return isStarted ? { type: 'lose' } : { type: 'refuse', error: 'internal_error' };
  }
  switch (error.code) {
    case 'not_started':
      return { type: 'refuse', error: isInTime(approval, now) ? 'credential_off' : 'not_started_in_time' };
    case 'outcome_unknown':
      return { type: 'lose' };
    case 'unavailable':
    case 'auth': {
      // Nothing was done. A started action is still not tried again, because the owner approved one attempt.
      const cause = retryCause(error.trouble) ?? 'upstream_mail_error';
      return isStarted ? { type: 'refuse', error: cause } : { type: 'not_now', error: cause, retryMs };
    }
    case 'not_found':
      return { type: 'refuse', error: 'not_found' };
    case 'conflict':
      return { type: 'refuse', error: 'target_changed' };
    case 'refused':
      return { type: 'refuse', error: error.tooMuch ?? 'upstream_mail_error', sizes: error.sizes };
  }
}

/** The error that a failed direct write returns. */
export function runFailure({ error, group, sizes }: Pick<Failed, 'error' | 'group' | 'sizes'>): ServiceError {
  switch (error) {
    case 'internal_error':
    case 'plan_unreadable':
    case 'altered':
      return new ServiceError('internal_error');
    case 'credential_off':
      return new ServiceError('invalid_token');
    case 'credential_paused':
      return new ServiceError('not_permitted', { details: { group, reason: 'paused' } });
    case 'outside_fence':
      return new ServiceError('not_permitted', { details: { group, reason: 'fence', field: '' } });
    case 'not_found':
      return new ServiceError('not_found');
    case 'upstream_mail_error':
    case 'password_refused':
    case 'sign_in_again':
    case 'cancelled_by_agent':
    case 'permission_off':
    case 'account_removed':
    case 'interrupted':
    case 'not_started_in_time':
    case 'target_changed':
    case 'sent_copy_refused':
      return new ServiceError('upstream_mail_error');
    case 'too_many_recipients':
    case 'message_too_large':
      return new ServiceError('upstream_mail_error', {
        details: {
          reason: error,
          ...(sizes !== null && { message_bytes: sizes.bytes }),
          ...(sizes?.limitBytes != null && { limit_bytes: sizes.limitBytes }),
        },
      });
  }
}

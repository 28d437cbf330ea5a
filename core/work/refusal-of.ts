import { ServiceError } from '../contract/errors.ts';
import { unavailable } from '../contract/unavailable.ts';
import { MailError } from '../ports/mail.ts';

/** Returns what the caller may learn of a thrown error. Everything else becomes the cause. */
export function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof MailError)) return new ServiceError('internal_error', { cause: error });
  if (error.code === 'not_started') return unavailable(error);
  if (error.code === 'not_found')
    return new ServiceError('not_found', { details: { reason: 'message' }, cause: error });
  return new ServiceError('upstream_mail_error', { details: { reason: error.code }, cause: error });
}

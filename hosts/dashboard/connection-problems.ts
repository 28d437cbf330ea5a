import { ServiceError } from '../../core/contract/errors.ts';
import { MailError } from '../../core/ports/mail.ts';
import { ProviderError } from '../../core/ports/mail-provider.ts';
import { fieldErrors } from './field-errors.ts';

const MAIL_PROBLEMS: Record<MailError['code'], string> = {
  auth: 'The server does not accept this user and password.',
  refused: 'The server refused.',
  unavailable: 'The server could not be reached, or did not answer in time.',
  not_found: 'The server has no such mailbox.',
  outcome_unknown: 'The server did not finish its answer.',
  not_started: 'The sign-in was not started.',
  conflict: 'The server says that its data has changed.',
};

/**
 * Why an account could not be connected or changed, in plain words.
 * @throws the error itself if neither the owner's input nor a server is at fault
 */
export function connectionProblems(error: unknown): readonly string[] {
  if (error instanceof ProviderError) return ['Nothing was saved.', error.message];
  if (error instanceof MailError)
    return ['Nothing was saved.', `${MAIL_PROBLEMS[error.code]} (${error.message})`];
  if (error instanceof ServiceError && error.code === 'invalid_arguments') {
    const details = fieldErrors.safeParse(error.details);
    if (!details.success) return ['Nothing was saved.', error.message];
    return ['Nothing was saved.', ...details.data.errors.map(({ field, message }) => `${field}: ${message}`)];
  }
  throw error;
}

import { ServiceError } from '../../../core/contract/errors.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { ProviderError } from '../../../core/ports/mail-provider.ts';
import { fieldErrors } from '../forms/field-errors.ts';

/**
 * Why an account could not be connected or changed, in plain words.
 * @throws the error itself if neither the owner's input nor a server is at fault
 */
export function connectionProblems(error: unknown): readonly string[] {
  if (error instanceof ProviderError) return ['Nothing was saved.', error.message];
  if (error instanceof MailError) return ['Nothing was saved.', error.forOwner];
  if (error instanceof ServiceError && error.code === 'invalid_arguments') {
    const details = fieldErrors.safeParse(error.details);
    if (!details.success) return ['Nothing was saved.', error.message];
    return ['Nothing was saved.', ...details.data.errors.map(({ field, message }) => `${field}: ${message}`)];
  }
  throw error;
}

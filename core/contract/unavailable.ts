import { ServiceError } from './errors.ts';

/** Something that the answer needs could not be reached, or did not answer in time. */
export function unavailable(cause?: unknown): ServiceError {
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

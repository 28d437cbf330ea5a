import { type MailCall, MailError } from '../../core/ports/mail.ts';

/** @throws MailError `unavailable` if the caller has ended the call */
export function refuseEnded({ signal }: MailCall): void {
  if (signal.aborted) {
    throw new MailError('unavailable', 'The call was ended before anything was done.', {
      cause: signal.reason,
    });
  }
}

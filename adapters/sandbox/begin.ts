import { MailError, type Start } from '../../core/ports/mail.ts';

/** Asks whether a change may start. @throws MailError `not_started` if it may not */
export async function begin(start: Start): Promise<void> {
  if (!(await start())) throw new MailError('not_started', 'The change was cancelled before it started.');
}

import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start, timedOut } from '../../core/ports/mail.ts';
import { fetchMessage } from './rows.ts';
import type { OpenFolder } from './session.ts';

/**
 * Checks right before a change that the message exists and that the change may start.
 * @throws MailError `not_found`, `not_started`, `unavailable`
 */
export async function beginChange(
  folder: OpenFolder,
  place: MessagePlace,
  start: Start,
  limit: AbortSignal,
): Promise<void> {
  await fetchMessage(folder, place, { size: true, internalDate: true });
  if (!(await start())) throw new MailError('not_started', 'the change was called off before it began');
  if (limit.aborted) throw timedOut();
}

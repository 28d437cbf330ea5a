import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import { MailError, type Start, timedOut } from '../../core/ports/mail.ts';
import { fetchMessage, ROW_QUERY, rowOf } from './rows.ts';
import type { OpenFolder } from './session.ts';

/**
 * Checks right before a change that the message exists and that the change may start.
 * @returns the message
 * @throws MailError `not_found`, `not_started`, `unavailable`
 */
export async function beginChange(
  folder: OpenFolder,
  place: MessagePlace,
  start: Start,
  limit: AbortSignal,
): Promise<ListedMessage> {
  const message = rowOf(folder, await fetchMessage(folder, place, ROW_QUERY));
  if (!(await start())) throw new MailError('not_started', 'the change was called off before it began');
  if (limit.aborted) throw timedOut();
  return message;
}

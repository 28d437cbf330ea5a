import { MailError, type MessageContent, type MessagePlace } from '../../core/ports/mail.ts';
import { parseMessage } from '../mime/parse.ts';
import { partOfLargeMessage } from './large-message.ts';
import { fetchMessage, ROW_QUERY, rowOf } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** Enough for nearly every message without an attachment: those take one command. */
const FIRST_BYTES = 256 * 1024;
/** A larger message is not fetched as a whole. */
const WHOLE_BYTES = 25 * 1024 * 1024;

/** @throws MailError `not_found` */
export async function readMessage(folder: OpenFolder, place: MessagePlace): Promise<MessageContent> {
  const begun = await fetchMessage(folder, place, {
    ...ROW_QUERY,
    source: { start: 0, maxLength: FIRST_BYTES },
  });
  const row = rowOf(folder, begun);
  const { source = Buffer.alloc(0) } = begun;
  if (source.length >= FIRST_BYTES && row.sizeBytes > WHOLE_BYTES) {
    return { row, ...(await partOfLargeMessage(folder, place)) };
  }
  const whole = source.length < FIRST_BYTES ? source : await fetchSource(folder, place);
  const { text, attachments, headers } = await parseMessage(whole);
  return { row, text, attachments, headers };
}

async function fetchSource(folder: OpenFolder, place: MessagePlace): Promise<Buffer> {
  const { source } = await fetchMessage(folder, place, { ...ROW_QUERY, source: true });
  if (source === undefined) throw new MailError('unavailable', 'the IMAP server did not give the message');
  return source;
}

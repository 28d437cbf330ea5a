import type { FetchMessageObject, FetchQueryObject } from 'imapflow';
import { attachmentOf, parseMessage } from '../../core/mail/parse.ts';
import { MailError, type MessageContent, type MessagePlace } from '../../core/ports/mail.ts';
import { isNotFound } from './failure.ts';
import { type Attachment, attachmentOfLargeMessage, partOfLargeMessage } from './large-message.ts';
import { fetchMessage, isWhole, ROW_QUERY, rowOf, uidSets } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** Enough for nearly every message without an attachment: those take one command. */
const FIRST_BYTES = 256 * 1024;
/** A larger message is not fetched as a whole. */
const WHOLE_BYTES = 25 * 1024 * 1024;

/** @throws MailError `not_found` */
export async function readMessage(folder: OpenFolder, place: MessagePlace): Promise<MessageContent> {
  return contentOf(folder, await fetchMessage(folder, place, BEGINNING));
}

/** Those of the messages that are there, by their UIDs. */
export async function readMessages(
  folder: OpenFolder,
  uids: readonly number[],
): Promise<Map<number, MessageContent>> {
  const contents = new Map<number, MessageContent>();
  for (const set of uidSets(uids)) {
    for (const begun of await folder.client.fetchAll(set, BEGINNING, { uid: true })) {
      const content = isWhole(begun) ? await contentUnlessGone(folder, begun) : undefined;
      if (content !== undefined) contents.set(begun.uid, content);
    }
  }
  return contents;
}

/** The rest of a large message is fetched later than its beginning. */
async function contentUnlessGone(
  folder: OpenFolder,
  begun: FetchMessageObject,
): Promise<MessageContent | undefined> {
  try {
    return await contentOf(folder, begun);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const BEGINNING: FetchQueryObject = { ...ROW_QUERY, source: { start: 0, maxLength: FIRST_BYTES } };

async function contentOf(folder: OpenFolder, begun: FetchMessageObject): Promise<MessageContent> {
  const row = rowOf(folder, begun);
  const { source = Buffer.alloc(0) } = begun;
  if (source.length >= FIRST_BYTES && row.sizeBytes > WHOLE_BYTES) {
    return { row, ...(await partOfLargeMessage(folder, row.place)) };
  }
  const whole = source.length < FIRST_BYTES ? source : await fetchSource(folder, row.place);
  const { text, attachments, headers } = await parseMessage(whole);
  return { row, text, attachments, headers };
}

/** @throws MailError `not_found` */
export async function readAttachment(
  folder: OpenFolder,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<Attachment | undefined> {
  const { size = 0 } = await fetchMessage(folder, place, { size: true, internalDate: true });
  if (size > WHOLE_BYTES) return attachmentOfLargeMessage(folder, place, index, maxBytes);
  const found = attachmentOf(await fetchSource(folder, place), index);
  return found && { info: found.info, bytes: found.bytes.length > maxBytes ? 'tooLarge' : found.bytes };
}

async function fetchSource(folder: OpenFolder, place: MessagePlace): Promise<Buffer> {
  const { source } = await fetchMessage(folder, place, { ...ROW_QUERY, source: true });
  if (source === undefined) throw new MailError('unavailable', 'the IMAP server did not give the message');
  return source;
}

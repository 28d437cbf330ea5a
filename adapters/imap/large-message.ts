import { ATTACHMENTS_MAX } from '../../core/mail/attachment-info.ts';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import type { AttachmentSource, MessageSource } from '../../core/mail/message-source.ts';
import {
  decodedBytes,
  described,
  isDescribed,
  type MessageStructure,
  partsOf,
} from '../../core/mail/message-structure.ts';
import { MailError } from '../../core/ports/mail.ts';
import { isNotFound } from './failure.ts';
import { fetchMessage, ROW_QUERY } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** A message that is too large to fetch whole: its header, and the parts that are needed. */

/** At most this much of the texts is fetched, and at most this many texts. */
const TEXT_BYTES = 5 * 1024 * 1024;
const TEXTS_MAX = 20;
/** The largest part that is fetched, in encoded form: 25 MB are 34 MB in base64. */
const PART_BYTES = 36 * 1024 * 1024;

/** @param beginning  of its source, which is all that can be read if the server does not describe its parts */
export async function fetchParts(
  folder: OpenFolder,
  place: MessagePlace,
  beginning: Buffer,
): Promise<MessageSource> {
  const structure = await structureOf(folder, place);
  if (structure === undefined) return { kind: 'parts', texts: [beginning], isCut: true, attachments: null };
  const { texts, attached } = partsOf(structure);
  const fetched: Buffer[] = [];
  let left = TEXT_BYTES;
  for (const part of texts.slice(0, TEXTS_MAX)) {
    if (left <= 0) break;
    fetched.push(await fetchPart(folder, place, part, left));
    left -= part.size ?? 0;
  }
  return {
    kind: 'parts',
    texts: fetched.length === 0 ? [await fetchHeader(folder, place)] : fetched,
    isCut: left < 0 || fetched.length < texts.length,
    attachments: attached.map(described),
  };
}

/** Fetches one of the attachments that `fetchParts` describes. */
export async function fetchAttachmentPart(
  folder: OpenFolder,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<AttachmentSource | undefined> {
  const structure = await structureOf(folder, place);
  if (structure === undefined) {
    throw new MailError('refused', 'the IMAP server does not describe the parts of the message');
  }
  const { attached } = partsOf(structure);
  const found = attached.slice(0, ATTACHMENTS_MAX)[index];
  if (found === undefined) return undefined;
  const { part } = found;
  const { size = 0 } = part;
  const about = described(found);
  const isTooLarge = decodedBytes(about) > maxBytes || size > PART_BYTES;
  return {
    kind: 'part',
    described: about,
    bytes: isTooLarge ? 'tooLarge' : await fetchPart(folder, place, part, size),
  };
}

/** Undefined: the server does not report it, or not as it is. */
async function structureOf(folder: OpenFolder, place: MessagePlace): Promise<MessageStructure | undefined> {
  let bodyStructure: MessageStructure | undefined;
  try {
    ({ bodyStructure } = await fetchMessage(folder, place, { ...ROW_QUERY, bodyStructure: true }));
  } catch (error) {
    // The message was there a moment ago: imapflow leaves out an answer that it cannot read.
    if (!isNotFound(error)) throw error;
  }
  return bodyStructure && isDescribed(bodyStructure) ? bodyStructure : undefined;
}

async function fetchHeader(folder: OpenFolder, place: MessagePlace): Promise<Buffer> {
  const { headers = Buffer.alloc(0) } = await fetchMessage(folder, place, { ...ROW_QUERY, headers: true });
  return headers;
}

/** Fetches the header of the message with that part as its whole body. */
async function fetchPart(
  folder: OpenFolder,
  place: MessagePlace,
  { part: number }: MessageStructure,
  maxLength: number,
): Promise<Buffer> {
  // A message with a single part has its MIME fields in its own header.
  const body = number ?? 'text';
  const { headers = Buffer.alloc(0), bodyParts } = await fetchMessage(folder, place, {
    ...ROW_QUERY,
    headers: true,
    bodyParts: [{ key: body, start: 0, maxLength }, ...(number === undefined ? [] : [`${number}.mime`])],
  });
  const content = bodyParts?.get(body) ?? Buffer.alloc(0);
  if (number === undefined) return Buffer.concat([headers, content]);
  const mime = bodyParts?.get(`${number}.mime`) ?? Buffer.from('\r\n');
  return Buffer.concat([withoutMimeFields(headers), mime, content]);
}

/** The header block without its Content- fields and the empty line at its end. */
function withoutMimeFields(headers: Buffer): Buffer {
  const fields = headers.toString('latin1').split(/\r?\n(?![ \t])/);
  const kept = fields.filter((field) => field !== '' && !/^content-/i.test(field));
  return Buffer.from(kept.map((field) => `${field}\r\n`).join(''), 'latin1');
}

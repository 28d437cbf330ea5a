import type { MessageStructureObject } from 'imapflow';
import { type AttachmentInfo, MailError, type MessagePlace } from '../../core/ports/mail.ts';
import { decodedContent, readTree } from '../mime/mime-tree.ts';
import {
  ATTACHMENTS_MAX,
  INCOMPLETE,
  namedCharset,
  type ParsedMessage,
  parseMessage,
} from '../mime/parse.ts';
import { oneLine } from '../mime/row-text.ts';
import { fetchMessage, ROW_QUERY } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** What of a text is fetched at most; what lies behind it is not shown. */
const TEXT_BYTES = 5 * 1024 * 1024;
/** The largest part that is fetched, as it is encoded: 25 MB are 34 in base64. */
const PART_BYTES = 36 * 1024 * 1024;

/** An attachment with its decoded bytes, or without them when there are more than were asked for. */
export interface Attachment {
  readonly info: AttachmentInfo;
  readonly bytes: Uint8Array | 'tooLarge';
}

/** Reads a message without its attachments: its header, and the one part that a person would read. */
export async function partOfLargeMessage(folder: OpenFolder, place: MessagePlace): Promise<ParsedMessage> {
  const { text, attached } = await structureOf(folder, place);
  const source = await fetchPart(folder, place, text, TEXT_BYTES);
  const { text: shown, headers } = await parseMessage(source);
  const said = text === undefined ? '' : shown;
  return {
    text: attached.length > ATTACHMENTS_MAX ? `${said}\n\n${INCOMPLETE}`.trimStart() : said,
    headers,
    attachments: attached.slice(0, ATTACHMENTS_MAX).map(attachmentInfo),
  };
}

/** One of the attachments that `partOfLargeMessage` lists. */
export async function attachmentOfLargeMessage(
  folder: OpenFolder,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<Attachment | undefined> {
  const { attached } = await structureOf(folder, place);
  const part = attached.slice(0, ATTACHMENTS_MAX)[index];
  if (part === undefined) return undefined;
  const info = attachmentInfo(part, index);
  const { size = 0 } = part;
  if (info.sizeBytes > maxBytes || size > PART_BYTES) return { info, bytes: 'tooLarge' };
  const bytes = decodedContent(readTree(await fetchPart(folder, place, part, size)).root);
  return { info: { ...info, sizeBytes: bytes.length }, bytes: bytes.length > maxBytes ? 'tooLarge' : bytes };
}

/** The part that a person would read, and what is attached. */
async function structureOf(
  folder: OpenFolder,
  place: MessagePlace,
): Promise<{ text: MessageStructureObject | undefined; attached: readonly MessageStructureObject[] }> {
  const { bodyStructure } = await fetchMessage(folder, place, { ...ROW_QUERY, bodyStructure: true });
  if (bodyStructure === undefined) {
    throw new MailError('unavailable', 'the IMAP server does not tell the structure of the message');
  }
  const parts = leaves(bodyStructure);
  const text = parts.find(isText('text/plain')) ?? parts.find(isText('text/html'));
  return { text, attached: parts.filter((part) => part !== text && !isAlternative(part)) };
}

/** The header of the message with that part as its whole body. */
async function fetchPart(
  folder: OpenFolder,
  place: MessagePlace,
  part: MessageStructureObject | undefined,
  maxLength: number,
): Promise<Buffer> {
  // A message that is one part only has its MIME fields in its own header.
  const number = part?.part;
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

/** The header block without its Content- fields and without the empty line at its end. */
function withoutMimeFields(headers: Buffer): Buffer {
  const fields = headers.toString('latin1').split(/\r?\n(?![ \t])/);
  const kept = fields.filter((field) => field !== '' && !/^content-/i.test(field));
  return Buffer.from(kept.map((field) => `${field}\r\n`).join(''), 'latin1');
}

function leaves(node: MessageStructureObject): MessageStructureObject[] {
  return node.childNodes === undefined ? [node] : node.childNodes.flatMap(leaves);
}

function isText(type: string): (part: MessageStructureObject) => boolean {
  return (part) => part.type === type && part.disposition !== 'attachment';
}

/** The other forms in which a message holds its text are not attachments. */
function isAlternative(part: MessageStructureObject): boolean {
  return /^text\/(plain|html)$/.test(part.type) && part.disposition === undefined;
}

function attachmentInfo(part: MessageStructureObject, index: number): AttachmentInfo {
  const name = part.dispositionParameters?.filename ?? part.parameters?.name ?? '';
  return {
    index,
    name: oneLine(name) || 'unnamed',
    mime: part.type,
    ...namedCharset(part.parameters?.charset),
    sizeBytes: decodedBytes(part),
  };
}

/** Base64 holds 57 bytes in a line of 78; of the other encodings the size is the nearest that is known. */
function decodedBytes({ size = 0, encoding }: MessageStructureObject): number {
  return encoding === 'base64' ? Math.floor((size * 57) / 78) : size;
}

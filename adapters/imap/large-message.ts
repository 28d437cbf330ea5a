import type { MessageStructureObject } from 'imapflow';
import { CUT } from '../../core/mail/html-text.ts';
import { decodedContent, readTree } from '../../core/mail/mime-tree.ts';
import {
  ATTACHMENTS_MAX,
  attachmentFacts,
  INCOMPLETE,
  type ParsedMessage,
  parseMessage,
} from '../../core/mail/parse.ts';
import { type AttachmentInfo, MailError, type MessagePlace } from '../../core/ports/mail.ts';
import { fetchMessage, ROW_QUERY } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** What of the texts is fetched at most, and of how many; what lies behind it is not shown. */
const TEXT_BYTES = 5 * 1024 * 1024;
const TEXTS_MAX = 20;
/** The largest part that is fetched, as it is encoded: 25 MB are 34 in base64. */
const PART_BYTES = 36 * 1024 * 1024;

/** An attachment with its decoded bytes, or without them when there are more than were asked for. */
export interface Attachment {
  readonly info: AttachmentInfo;
  readonly bytes: Uint8Array | 'tooLarge';
}

/** Reads a message without its attachments: its header, and the parts that a person would read. */
export async function partOfLargeMessage(folder: OpenFolder, place: MessagePlace): Promise<ParsedMessage> {
  const { texts, attached } = await structureOf(folder, place);
  const [first, ...others] = texts;
  let left = TEXT_BYTES;
  const read = async (part: MessageStructureObject | undefined) => {
    const parsed = await parseMessage(await fetchPart(folder, place, part, Math.max(left, 1)));
    left -= part?.size ?? 0;
    return parsed;
  };
  const begun = await read(first);
  const shown = first === undefined ? [] : [begun.text];
  for (const part of others.slice(0, TEXTS_MAX - 1)) if (left > 0) shown.push((await read(part)).text);
  if (left < 0 || shown.length < texts.length) shown.push(`\n${CUT}`);
  if (attached.length > ATTACHMENTS_MAX) shown.push(`\n${INCOMPLETE}`);
  return {
    text: shown.join('\n').trimStart(),
    headers: begun.headers,
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

/** The parts that a person would read, and what is attached. */
async function structureOf(
  folder: OpenFolder,
  place: MessagePlace,
): Promise<{ texts: readonly MessageStructureObject[]; attached: readonly MessageStructureObject[] }> {
  const { bodyStructure } = await fetchMessage(folder, place, { ...ROW_QUERY, bodyStructure: true });
  if (bodyStructure === undefined) {
    throw new MailError('unavailable', 'the IMAP server does not tell the structure of the message');
  }
  const texts = textsIn(bodyStructure);
  const attached = leaves(bodyStructure).filter((part) => fileName(part) !== '' || !isShown(part, texts));
  return { texts, attached };
}

/** Of several forms of a text HTML, which is what a person is shown. */
function textsIn(node: MessageStructureObject): MessageStructureObject[] {
  if (node.childNodes === undefined) return isText(node) ? [node] : [];
  const inEach = node.childNodes.map(textsIn);
  if (node.type !== 'multipart/alternative') return inEach.flat();
  const isHtml = (texts: MessageStructureObject[]) => texts.some(({ type }) => type === 'text/html');
  return inEach.findLast(isHtml) ?? inEach.find((texts) => texts.length > 0) ?? [];
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

function isText({ type, disposition }: MessageStructureObject): boolean {
  return /^text\/(plain|html)$/.test(type) && disposition !== 'attachment';
}

/** As one of the texts, or as another form of one. */
function isShown(part: MessageStructureObject, texts: readonly MessageStructureObject[]): boolean {
  return texts.includes(part) || (isText(part) && part.disposition === undefined);
}

function fileName({ dispositionParameters, parameters }: MessageStructureObject): string {
  return dispositionParameters?.filename ?? parameters?.name ?? '';
}

function attachmentInfo(part: MessageStructureObject, index: number): AttachmentInfo {
  return {
    ...attachmentFacts(
      { name: fileName(part), mime: part.type, charset: part.parameters?.charset ?? '' },
      index,
    ),
    sizeBytes: decodedBytes(part),
  };
}

/** Base64 holds 57 bytes in a line of 78; of the other encodings the size is the nearest that is known. */
function decodedBytes({ size = 0, encoding }: MessageStructureObject): number {
  return encoding === 'base64' ? Math.floor((size * 57) / 78) : size;
}

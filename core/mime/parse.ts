import { isUtf8 } from 'node:buffer';
import { type HtmlReader, htmlReader } from '../html/html-text.ts';
import { withoutMarked } from '../html/text-layout.ts';
import { ATTACHMENTS_MAX, type AttachmentInfo, attachmentFacts } from '../mail/attachment-info.ts';
import { decodeText, htmlCharset } from '../mail/charset.ts';
import { headerText } from '../mail/header-text.ts';
import { messageHeaders, type ReadHeaders } from '../mail/message-headers.ts';
import type { Protection } from '../mail/protection.ts';
import { unflowed } from './flowed-text.ts';
import { ENCRYPTED, withoutCiphertext } from './inline-pgp.ts';
import { decodedContent, fileName, type MimePart, readListedPart, readTree } from './mime-tree.ts';

/** A message in the form that a person would read. */
export interface ParsedMessage {
  /** text/plain, else text/html as text. Lines end in LF. */
  readonly text: string;
  readonly attachments: readonly AttachmentInfo[];
  readonly protection: Protection;
  readonly headers: ReadHeaders;
}

export const INCOMPLETE =
  '[This message has too many parts, is nested too deeply, or is too large. Some of it cannot be shown.]';

/**
 * Reads a message as well as possible, even with broken structure, unknown charsets or missing headers. Never throws
 * on any bytes. If part of the message cannot be shown, the text says so.
 */
export async function parseMessage(source: Uint8Array): Promise<ParsedMessage> {
  return parsed(readTree(source), htmlReader());
}

/** The same for one text of a message that was fetched in parts. */
export function parseListedText(source: Uint8Array): ParsedMessage {
  return parsed(readListedPart(source), htmlReader());
}

function parsed({ root, complete }: ReturnType<typeof readTree>, html: HtmlReader): ParsedMessage {
  const { text, ...inline } = withoutCiphertext(reading(root, html.read).text());
  const all = everyPart(root);
  const attached = attachedParts(root);
  const isWhole = complete && attached.length <= ATTACHMENTS_MAX;
  return {
    text: isWhole ? text : `${text}\n\n${INCOMPLETE}`.trimStart(),
    attachments: attached.slice(0, ATTACHMENTS_MAX).map(attachmentInfo),
    protection: {
      isEncrypted: inline.isEncrypted || all.some(isEncrypted),
      isSigned: inline.isSigned || all.some(({ type }) => type === 'multipart/signed'),
    },
    headers: messageHeaders(root.headers),
  };
}

function everyPart(part: MimePart): MimePart[] {
  return [part, ...part.parts.flatMap(everyPart)];
}

/** S/MIME and PGP/MIME (RFC 3156), also if a server replaced the type. */
function isEncrypted({ type, isEncrypted }: MimePart): boolean {
  return isEncrypted === true || type === 'multipart/encrypted' || type === 'application/pgp-encrypted';
}

/** One of the attachments that `parseMessage` lists, decoded. Undefined if there is none with that index. */
export function attachmentOf(
  source: Uint8Array,
  index: number,
): { readonly info: AttachmentInfo; readonly bytes: Uint8Array } | undefined {
  const part = attachedParts(readTree(source).root).slice(0, ATTACHMENTS_MAX)[index];
  return part && { info: attachmentInfo(part, index), bytes: decodedContent(part) };
}

/** A text with a file name is an attachment too, although it is shown with the rest. */
function attachedParts(root: MimePart): MimePart[] {
  return leaves(root).filter((part) => !isText(part) || fileName(part) !== '');
}

/** One of the alternative forms of a text. */
interface Reading {
  readonly isPlain: boolean;
  readonly isHtml: boolean;
  text(): string;
}

function reading(part: MimePart, readHtml: (html: string) => string): Reading {
  if (isEncrypted(part)) return { isPlain: true, isHtml: false, text: () => ENCRYPTED };
  if (part.parts.length > 0) {
    const readings = part.parts.map((inner) => reading(inner, readHtml));
    return part.type === 'multipart/alternative' ? bestOf(readings) : allOf(readings);
  }
  if (!isText(part)) return { isPlain: false, isHtml: false, text: () => '' };
  const text = textOf(part);
  if (part.type === 'text/html') return { isPlain: false, isHtml: true, text: () => readHtml(text) };
  return { isPlain: text.trim() !== '', isHtml: false, text: () => text };
}

const PLAIN_ONLY = '[Most mail programs show no text of this message. This is its plain form:]';

/**
 * A person sees the HTML. Its plain form reads better and is used if it contains nothing else: a form that nobody
 * sees is a place to hide text.
 */
function bestOf(readings: readonly Reading[]): Reading {
  const plain = readings.find(({ isPlain }) => isPlain);
  const html = readings.findLast((one) => one.isHtml && one !== plain);
  if (plain === undefined)
    return { isPlain: false, isHtml: html !== undefined, text: () => firstText(readings) };
  if (html === undefined) return plain;
  return {
    isPlain: true,
    isHtml: true,
    text() {
      const [written, shown] = [plain.text(), html.text()];
      if (shown.trim() === '') return `${PLAIN_ONLY}\n\n${written}`;
      return saysNothingElse(written, withoutMarked(shown)) ? written : shown;
    },
  };
}

/** Whether every word of `written` appears in `shown`, in the same order. */
function saysNothingElse(written: string, shown: string): boolean {
  const left = wordsOf(shown);
  for (const [word] of wordsOf(written)) {
    let next = left.next();
    while (!next.done && next.value[0] !== word) next = left.next();
    if (next.done) return false;
  }
  return true;
}

function wordsOf(text: string): RegExpStringIterator<RegExpExecArray> {
  return text.replace(/\u00ad|[\u200b-\u200d]/g, '').matchAll(/[\p{L}\p{N}]+/gu);
}

function firstText(readings: readonly Reading[]): string {
  for (const { text } of readings) {
    const shown = text();
    if (shown.trim() !== '') return shown;
  }
  return '';
}

function allOf(readings: readonly Reading[]): Reading {
  return {
    isPlain: readings.some(({ isPlain }) => isPlain),
    isHtml: readings.some(({ isHtml }) => isHtml),
    text: () =>
      readings
        .map(({ text }) => text())
        .filter((text) => text !== '')
        .join('\n'),
  };
}

/** Lines end in LF. A final line end belongs to the last line, not to the text. */
function textOf(part: MimePart): string {
  const { charset, format, delsp } = part.typeParams;
  const bytes = decodedContent(part);
  const own = charset === undefined && part.type === 'text/html' && !isUtf8(bytes);
  const text = decodeText(bytes, own ? htmlCharset(bytes) : charset)
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
  return format?.toLowerCase() === 'flowed' ? unflowed(text, delsp?.toLowerCase() === 'yes') : text;
}

/** A multipart without any part is read as text, because a person would see it as text. */
function isText({ type, disposition }: MimePart): boolean {
  return disposition !== 'attachment' && /^(?:text\/(?:plain|html)|multipart\/.*)$/s.test(type);
}

function leaves(part: MimePart): MimePart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leaves);
}

function attachmentInfo(part: MimePart, index: number): AttachmentInfo {
  const { charset = '' } = part.typeParams;
  const facts = attachmentFacts({ name: headerText(fileName(part)), mime: part.type, charset }, index);
  return { ...facts, sizeBytes: decodedContent(part).length };
}

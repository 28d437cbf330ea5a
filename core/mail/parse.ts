import { isUtf8 } from 'node:buffer';
import { shortened } from '../text/shortened.ts';
import type { MailAddress } from './address.ts';
import { decodeText, htmlCharset } from './charset.ts';
import { unflowed } from './flowed-text.ts';
import { headerAddresses, headerMessageIds, headerText } from './header-text.ts';
import { type HtmlBounds, type HtmlReader, htmlReader } from './html-text.ts';
import {
  decodedContent,
  fileName,
  headersOf,
  type MimeHeader,
  type MimePart,
  readListedPart,
  readTree,
} from './mime-tree.ts';
import { ENCRYPTED, type Protection, withoutCiphertext } from './protection.ts';
import { controlsAsSpaces } from './row-text.ts';
import { withoutMarked } from './text-layout.ts';

/** A message in the form that a person would read. */
export interface ParsedMessage {
  /** text/plain, else text/html as text. Lines end in LF. */
  readonly text: string;
  readonly attachments: readonly AttachmentInfo[];
  readonly protection: Protection;
  readonly headers: MessageHeaders & {
    /** Value of the Date header, undecoded. Null if there is none. */
    readonly date: string | null;
  };
}

export interface MessageHeaders {
  /** Bare addresses. */
  readonly from: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly subject: string;
  /** With its angle brackets. */
  readonly messageId: string | null;
  readonly references: readonly string[];
}

export interface AttachmentInfo {
  /** Index among the attachments, from 0. */
  readonly index: number;
  readonly name: string;
  readonly mime: string;
  /** For text whose media type names one: letters, digits and `.:_-`. */
  readonly charset?: string;
  readonly sizeBytes: number;
}

/** Source: API.md, Attachment: index 0 to 500. */
export const ATTACHMENTS_MAX = 501;

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

/**
 * The limits on the HTML of a short message. An element costs about 10 microseconds, a step a tenth of one. The worst
 * known case, found by fuzzing and by hand, takes 9 ms of CPU time on a slow machine.
 */
const SHORT_HTML: HtmlBounds = { chars: 16 * 1024, elements: 400, steps: 40_000 };

/** The same for a message with little HTML, or none. Undefined if reading it would take more work. */
export function parseShortMessage(source: Uint8Array): ParsedMessage | undefined {
  const tree = readTree(source);
  const html = leaves(tree.root).filter(({ type }) => type === 'text/html');
  if (html.reduce((sum, { content }) => sum + content.length, 0) > SHORT_HTML.chars) return undefined;
  const reader = htmlReader(SHORT_HTML);
  const message = parsed(tree, reader);
  return reader.isExceeded() ? undefined : message;
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
    headers: readHeaders(root.headers),
  };
}

function everyPart(part: MimePart): MimePart[] {
  return [part, ...part.parts.flatMap(everyPart)];
}

/** S/MIME, PGP/MIME (RFC 3156), and what servers make of that. */
function isEncrypted({ type, isEncrypted }: MimePart): boolean {
  return isEncrypted === true || type === 'multipart/encrypted' || type === 'application/pgp-encrypted';
}

/** Only the headers of a message, without its body. */
export function parseHeaders(source: Uint8Array): ParsedMessage['headers'] {
  return readHeaders(headersOf(source));
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

/** No file system allows longer names. An untrusted name can be as long as a book. */
const NAME_CHARS = 300;

/** Sanitises the untrusted description of an attachment. */
export function attachmentFacts(
  claimed: { readonly name: string; readonly mime: string; readonly charset: string },
  index: number,
): Omit<AttachmentInfo, 'sizeBytes'> {
  const isMediaType = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,80}$/.test(claimed.mime);
  return {
    index,
    name: shortened(controlsAsSpaces(claimed.name), NAME_CHARS) || 'unnamed',
    mime: isMediaType ? claimed.mime : 'application/octet-stream',
    ...(/^[\w.:-]{1,40}$/.test(claimed.charset) ? { charset: claimed.charset } : {}),
  };
}

/** For headers that may appear only once, the first counts, as in most readers. */
function readHeaders(headers: readonly MimeHeader[]): ParsedMessage['headers'] {
  const first = (name: string) => headers.find(({ key }) => key === name)?.value ?? null;
  const addresses = (name: string) =>
    headers.filter(({ key }) => key === name).flatMap(({ value }) => headerAddresses(value));
  return {
    from: headerAddresses(first('from') ?? ''),
    replyTo: addresses('reply-to'),
    to: addresses('to'),
    cc: addresses('cc'),
    subject: headerText(first('subject') ?? ''),
    messageId: headerMessageIds(first('message-id') ?? '')[0] ?? null,
    references: headerMessageIds(first('references') ?? first('in-reply-to') ?? ''),
    date: first('date'),
  };
}

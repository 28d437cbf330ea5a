import { htmlReader } from '../html/html-text.ts';
import { withoutMarked } from '../html/text-layout.ts';
import { type AttachmentInfo, MAX_MESSAGES_DEEP } from '../mail/attachment-info.ts';
import { headerText } from '../mail/header-text.ts';
import { messageHeaders, type ReadHeaders } from '../mail/message-headers.ts';
import type { Protection } from '../mail/protection.ts';
import { displayAddresses } from '../mail/row-text.ts';
import { attachedFiles } from './attached-files.ts';
import { ENCRYPTED, withoutCiphertext } from './inline-pgp.ts';
import { heldInstead, isBlank, NOTHING_SEEN, textInstead } from './instead-of-text.ts';
import { decodedContent, type MimePart, readListedPart, readTree } from './mime-tree.ts';
import { isShownText, leavesOf, partText } from './part-text.ts';

/** A message in the form that a person would read. */
export interface ParsedMessage {
  /** text/plain, else text/html as text, else what else it says or holds. Lines end in LF. */
  readonly text: string;
  readonly attachments: readonly AttachmentInfo[];
  /** There may be attachments, and nobody knows which. */
  readonly hasUnlisted?: true;
  readonly protection: Protection;
  readonly headers: ReadHeaders;
}

export const INCOMPLETE =
  '[This message has too many parts, is nested too deeply, or is too large. Some of it cannot be shown.]';

/**
 * Reads a message as well as possible, even with broken structure, unknown charsets or missing headers. Never throws
 * on any bytes. If part of the message cannot be shown, the text says so.
 * @param opensMessages  false: the caller shows attached messages by itself, so their texts and attachments are left out, and
 *   no note stands in place of a text
 */
export async function parseMessage(source: Uint8Array, opensMessages = true): Promise<ParsedMessage> {
  return parsed(readTree(source), opensMessages);
}

/**
 * The same for one text of a message that was fetched in parts. Its attachments are not in it.
 * @returns `instead`: what it says if it is a text of another kind, for a message that shows no text
 */
export function parseListedText(
  source: Uint8Array,
): Omit<ParsedMessage, 'attachments'> & { readonly instead: () => string } {
  const { root, complete } = readListedPart(source);
  const { read } = htmlReader();
  const shown = inContext(root, complete, reading(root, read).text());
  return { ...shown, instead: () => shownText(root, read, 0) };
}

function parsed({ root, complete }: ReturnType<typeof readTree>, opensMessages: boolean): ParsedMessage {
  const { files, complete: areAll } = attachedFiles(root, opensMessages);
  const attachments = files.map(({ info }) => info);
  const shown = shownText(root, htmlReader().read, opensMessages ? MAX_MESSAGES_DEEP : 0);
  const isWhole = complete && areAll;
  const hidden = () => (leavesOf(root).every(isEmpty) ? shown : NOTHING_SEEN);
  const needsNote = opensMessages && isWhole && isBlank(shown);
  const text = needsNote ? (heldInstead(attachments) ?? hidden()) : shown;
  return { ...inContext(root, isWhole, text), attachments };
}

function isEmpty(part: MimePart): boolean {
  return isBlank(partText(part));
}

function inContext(root: MimePart, complete: boolean, whole: string): Omit<ParsedMessage, 'attachments'> {
  const { text, ...inline } = withoutCiphertext(whole);
  const all = everyPart(root);
  return {
    text: complete ? text : `${text}\n\n${INCOMPLETE}`.trimStart(),
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
  opensMessages = true,
): { readonly info: AttachmentInfo; readonly bytes: Uint8Array } | undefined {
  const file = attachedFiles(readTree(source).root, opensMessages).files[index];
  return file && { info: file.info, bytes: decodedContent(file.part) };
}

/** The lines above the text of a message that is shown inside another. Empty ones are left out. */
export function shownFields(headers: ReadHeaders): Readonly<Record<string, string>> {
  return {
    From: displayAddresses(headers.from),
    To: displayAddresses(headers.to),
    Cc: displayAddresses(headers.cc),
    Date: headerText(headers.date ?? ''),
    Subject: headers.subject,
  };
}

/** @param depth  how many messages inside one another are opened if each has no other text */
function shownText(root: MimePart, readHtml: (html: string) => string, depth: number): string {
  const text = reading(root, readHtml).text();
  if (!isBlank(text)) return text;
  return textInstead(root, { readHtml, messageText: (part) => carriedText(part, readHtml, depth) }) ?? text;
}

function carriedText(part: MimePart, readHtml: (html: string) => string, depth: number): string {
  if (depth === 0) return '';
  const { root, complete } = readTree(decodedContent(part));
  const text = shownText(root, readHtml, depth - 1);
  const fields = Object.entries(shownFields(messageHeaders(root.headers)));
  const head = fields.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return [...head, '', text, ...(complete ? [] : [INCOMPLETE])].join('\n').trim();
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
  if (!isShownText(part)) return { isPlain: false, isHtml: false, text: () => '' };
  const text = partText(part);
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

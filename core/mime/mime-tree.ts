import { Buffer, isUtf8 } from 'node:buffer';
import { type HeaderField, readHeaders, splitHeader } from '../mail/header-fields.ts';
import { readCms } from './cms.ts';
import { type Delimiters, delimitersOf } from './delimiters.ts';
import { type Params, structuredField } from './structured-field.ts';
import { readTnef } from './tnef.ts';
import { filesIn, uudecoded } from './uuencoded-files.ts';

/**
 * The parts of a message (RFC 2045, 2046), not yet decoded. Contents are views of the source. Work and memory have
 * limits for any input: a message can be 25 MB of line breaks, or of boundaries.
 */

export interface MimePart {
  readonly headers: readonly HeaderField[];
  /** Lower case. `text/plain` if none is given. */
  readonly type: string;
  readonly typeParams: Params;
  /** Lower case. Empty if none is given. */
  readonly disposition: string;
  readonly dispositionParams: Params;
  readonly content: Buffer;
  /** Empty unless it is a multipart. */
  readonly parts: readonly MimePart[];
  /** It contains others that only its receiver can read. */
  readonly isEncrypted?: true;
}

const MAX_DEPTH = 20;
const MAX_PARTS = 1000;
/** The most possible delimiters to examine. */
const MAX_CANDIDATES = 100_000;

interface Budget {
  parts: number;
  candidates: number;
  /** Whether files inside a part without MIME become parts. */
  readonly unpacks: boolean;
  /** For unencoded header fields. Empty: not known. */
  readonly bodyCharset: string;
  /** Whether such fields were found that are not in UTF-8. */
  hasUnencoded: boolean;
}

/** @returns `complete`: false if a limit was exceeded, and the rest is not in the tree */
export function readTree(source: Uint8Array): { root: MimePart; complete: boolean } {
  return treeOf(source, true);
}

/** One part of a message as its server lists it. The server does not know files without MIME. */
export function readListedPart(source: Uint8Array): { root: MimePart; complete: boolean } {
  return treeOf(source, false);
}

function treeOf(source: Uint8Array, unpacks: boolean): { root: MimePart; complete: boolean } {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const read = (bodyCharset: string) => {
    const limits = { parts: MAX_PARTS, candidates: MAX_CANDIDATES };
    const budget = { ...limits, unpacks, bodyCharset, hasUnencoded: false };
    const { part, complete } = readBody(bytes, { depth: 0, isWhole: true, untyped: TEXT }, budget);
    return { root: part, complete: complete && budget.candidates >= 0, hasUnencoded: budget.hasUnencoded };
  };
  const tree = read('');
  const bodyCharset = tree.hasUnencoded ? charsetOfText(tree.root) : undefined;
  return bodyCharset === undefined ? tree : read(bodyCharset);
}

/** The first that a text names. */
function charsetOfText({ type, typeParams, parts }: MimePart): string | undefined {
  if (type.startsWith('text/') && typeParams.charset !== undefined) return typeParams.charset;
  for (const part of parts) {
    const charset = charsetOfText(part);
    if (charset !== undefined) return charset;
  }
  return undefined;
}

const TEXT = 'text/plain';
const CR = 0x0d;

/** Where a part is. */
interface Position {
  readonly depth: number;
  /** Whether it is the whole message, or all that a signature around the message covers. */
  readonly isWhole: boolean;
  /** The type of a part that does not name one. */
  readonly untyped: string;
}

interface ReadPart {
  readonly part: MimePart;
  /** False if a limit was exceeded, and the rest is not in the part. */
  readonly complete: boolean;
}

/** A message, or a part that was wrapped as a whole. */
function readBody(bytes: Buffer, position: Position, budget: Budget): ReadPart {
  return readPart({ bytes, delimiters: delimitersOf(bytes, budget) }, 0, position, budget);
}

interface Body {
  readonly bytes: Buffer;
  readonly delimiters: Delimiters;
}

/** @returns `end`: behind the part, where the next delimiter stands */
function readPart(body: Body, start: number, position: Position, budget: Budget): ReadPart & { end: number } {
  const { bytes, delimiters } = body;
  const { depth, isWhole, untyped } = position;
  const next = delimiters.next(start)?.at;
  const last = contentEnd(bytes, start, next);
  const { block, content } = splitHeader(bytes.subarray(start, last));
  budget.hasUnencoded ||= !isUtf8(block);
  const headers = readHeaders(block, budget.bodyCharset);
  const type = structuredField(headers, 'content-type');
  const disposition = structuredField(headers, 'content-disposition');
  const leaf: MimePart = {
    headers,
    type: mediaType(type.value, 'name' in type.params || 'filename' in disposition.params, untyped),
    typeParams: type.params,
    disposition: disposition.value,
    dispositionParams: disposition.params,
    content,
    parts: [],
  };
  const boundary = type.params.boundary ?? '';
  const end = next ?? bytes.length;
  if (!leaf.type.startsWith('multipart/') || boundary === '')
    return { ...unpacked(leaf, position, budget), end };
  if (depth === MAX_DEPTH)
    return { part: { ...leaf, content: content.subarray(0, 0) }, complete: false, end };
  // RFC 2046 5.1.5
  const inner = leaf.type === 'multipart/digest' ? 'message/rfc822' : TEXT;
  const inside = { depth: depth + 1, isWhole: false, untyped: inner };
  const read = readParts(body, last - content.length, boundary, inside, budget);
  const sealed = isWhole && budget.unpacks ? wholeCms(leaf.type, read.parts) : undefined;
  const parts =
    sealed === undefined ? read.parts : [unsigned(sealed, depth + 1, budget), ...read.parts.slice(1)];
  return {
    part: { ...leaf, parts: parts.map(({ part }) => part) },
    complete: read.complete && parts.every(({ complete }) => complete),
    end: read.end,
  };
}

/**
 * The parts of a multipart (RFC 2046 5.1.1). A message that is cut off has its last part without the delimiter behind it.
 * @returns `complete`: false if there are too many
 */
function readParts(
  { bytes, delimiters }: Body,
  start: number,
  boundary: string,
  inside: Position,
  budget: Budget,
): { parts: readonly ReadPart[]; complete: boolean; end: number } {
  const parts: ReadPart[] = [];
  const level = delimiters.open(boundary);
  let found = delimiters.next(start);
  while (found?.level === level && !found.isLast) {
    if (budget.parts-- <= 0) {
      delimiters.close();
      return { parts, complete: false, end: bytes.length };
    }
    const part = readPart({ bytes, delimiters }, found.end, inside, budget);
    parts.push(part);
    found = delimiters.next(part.end);
  }
  delimiters.close();
  return { parts, complete: true, end: (found?.level === level ? found.end : found?.at) ?? bytes.length };
}

/** The line break before a delimiter belongs to it. @param next where that is; undefined if the body ends first */
function contentEnd(bytes: Buffer, start: number, next: number | undefined): number {
  if (next === undefined) return bytes.length;
  return Math.max(start, bytes[next - 2] === CR ? next - 2 : next - 1);
}

/** A part that contains others without MIME, as a multipart of them. */
function unpacked(leaf: MimePart, { depth, isWhole }: Position, budget: Budget): ReadPart {
  if (!budget.unpacks) {
    const isSealed = isWhole && saysEncrypted(leaf);
    return { part: isSealed ? { ...leaf, isEncrypted: true } : leaf, complete: true };
  }
  if (isWhole && (isCms(leaf) || isCmsByName(leaf))) return unsigned(leaf, depth, budget);
  const { parts: inner, complete } = isTnef(leaf)
    ? tnefParts(leaf, isWhole)
    : { parts: filesInText(leaf), complete: true };
  if (inner.length === 0) return { part: leaf, complete };
  const parts = inner.slice(0, Math.max(budget.parts, 0));
  budget.parts -= parts.length;
  return {
    part: { ...leaf, type: 'multipart/mixed', content: leaf.content.subarray(0, 0), parts },
    complete: complete && parts.length === inner.length,
  };
}

function isCms({ type }: MimePart): boolean {
  return /^application\/(?:x-)?pkcs7-mime$/.test(type);
}

/** What its `smime-type` says (RFC 8551 3.2.2) of a content that was not fetched. One that was decides itself. */
function saysEncrypted(leaf: MimePart): boolean {
  return isCms(leaf) && /^(?:authe|e)nveloped-data$/i.test(leaf.typeParams['smime-type'] ?? '');
}

/** RFC 8551 3.2.1: some servers replace the type. */
function isCmsByName(leaf: MimePart): boolean {
  return leaf.type === 'application/octet-stream' && fileName(leaf).toLowerCase() === 'smime.p7m';
}

/** As written, perhaps with RFC 2047 words. Empty if it has none. */
export function fileName({ typeParams, dispositionParams }: MimePart): string {
  return dispositionParams.filename || typeParams.name || '';
}

/**
 * Finds the S/MIME file that is all of a multipart but the footer of a mailing list, or a signature over the file
 * (RFC 8551 3.7). Mail programs show one in any other place as an attachment, so nobody would see what it says.
 */
function wholeCms(multipart: string, read: readonly ReadPart[]): MimePart | undefined {
  const [file, last, ...others] = read.map(({ part }) => part);
  if (file === undefined || last === undefined || others.length > 0 || !isCms(file)) return undefined;
  const isFooter = last.type === TEXT && last.disposition !== 'attachment' && fileName(last) === '';
  const isSignature = /^application\/(?:x-)?pkcs7-signature$/.test(last.type);
  const isRest = multipart === 'multipart/mixed' ? isFooter : multipart === 'multipart/signed' && isSignature;
  return isRest ? file : undefined;
}

/** S/MIME that wraps what it signs (RFC 8551 3.5.2), as a multipart of the part inside. */
function unsigned(leaf: MimePart, depth: number, budget: Budget): ReadPart {
  const cms = readCms(decodedContent(leaf));
  if (cms?.kind === 'encrypted') return { part: { ...leaf, isEncrypted: true }, complete: true };
  if (cms === undefined) return { part: leaf, complete: true };
  const empty = leaf.content.subarray(0, 0);
  if (depth === MAX_DEPTH || budget.parts-- <= 0)
    return { part: { ...leaf, content: empty }, complete: false };
  const inside = { depth: depth + 1, isWhole: true, untyped: TEXT };
  const { part, complete } = readBody(cms.content, inside, budget);
  return { part: { ...leaf, type: 'multipart/signed', content: empty, parts: [part] }, complete };
}

function filesInText(leaf: MimePart): MimePart[] {
  const isPlain = leaf.type === TEXT && leaf.disposition !== 'attachment';
  if (!isPlain || !/^(?:|7bit|8bit|binary)$/.test(encodingOf(leaf))) return [];
  const { text, files } = filesIn(leaf.content);
  if (files.length === 0) return [];
  return [{ ...leaf, content: text }, ...files.map(({ name, content }) => file(name, content, 'x-uuencode'))];
}

function isTnef(leaf: MimePart): boolean {
  const { type } = leaf;
  return /^application\/(?:vnd\.)?ms-tnef$/.test(type) || fileName(leaf).toLowerCase() === 'winmail.dat';
}

/** Returns its files, and its text only if it is the whole message. Otherwise the text is a separate part already. */
function tnefParts(leaf: MimePart, isWhole: boolean): { parts: MimePart[]; complete: boolean } {
  const tnef = readTnef(decodedContent(leaf));
  if (tnef === undefined) return { parts: [], complete: true };
  const body = isWhole ? tnef.body() : undefined;
  const texts: MimePart[] = [];
  if (body !== undefined) {
    const { type, content, charset } = body;
    texts.push({ ...bare(content), type, typeParams: { charset } });
  }
  const files = tnef.files.map(({ name, content }) => file(name, content, '8bit'));
  return { parts: [...texts, ...files], complete: body?.complete ?? true };
}

function file(name: string, content: Buffer, encoding: string): MimePart {
  const headers = [{ key: 'content-transfer-encoding', value: encoding }];
  return { ...bare(content), headers, disposition: 'attachment', dispositionParams: { filename: name } };
}

function bare(content: Buffer): MimePart {
  return {
    headers: [],
    type: 'application/octet-stream',
    typeParams: {},
    disposition: '',
    dispositionParams: {},
    content,
    parts: [],
  };
}

/** RFC 2045 5.2: treats an invalid media type as missing, except that a file stays a file. */
function mediaType(value: string, isFile: boolean, untyped: string): string {
  const [type] = /^[^\s/]+\/[^\s/]+/.exec(value) ?? [];
  return type ?? (value !== '' && isFile ? 'application/octet-stream' : untyped);
}

/** Returns the contents with the transfer encoding removed (RFC 2045 6). */
export function decodedContent(part: MimePart): Buffer {
  const { content } = part;
  const encoding = encodingOf(part);
  if (encoding.includes('base64')) {
    const text = content.toString('latin1');
    // Mailing lists add lines to a text without encoding them.
    const end = part.type.startsWith('text/') ? endOfBase64(text) : text.length;
    const decoded = unbased(text.slice(0, end));
    return end === text.length ? decoded : Buffer.concat([decoded, Buffer.from('\n'), content.subarray(end)]);
  }
  if (encoding.includes('quoted-printable')) return unquoted(content);
  if (/^(?:x-)?uue(?:ncode)?\b/.test(encoding)) return uudecoded(content);
  return content;
}

function encodingOf({ headers }: MimePart): string {
  return headers.find(({ key }) => key === 'content-transfer-encoding')?.value.toLowerCase() ?? '';
}

/** Returns the start of the first line that is not base64, if it follows a whole number of bytes. */
function endOfBase64(text: string): number {
  let characters = 0;
  let counted = 0;
  STRANGE.lastIndex = 0;
  for (let found = STRANGE.exec(text); found !== null; found = STRANGE.exec(text)) {
    const start = text.lastIndexOf('\n', found.index) + 1;
    const next = text.indexOf('\n', found.index);
    const end = next === -1 ? text.length : next;
    characters += text.slice(counted, start).replace(/[^A-Za-z0-9+/_=-]+/g, '').length;
    counted = start;
    if (characters > 0 && characters % 4 === 0 && !BASE64_LINE.test(text.slice(start, end).trim()))
      return start;
    STRANGE.lastIndex = end;
  }
  return text.length;
}

/** The first character that canonical base64 does not have. */
const STRANGE = /[^A-Za-z0-9+/=\r\n]/g;
/** The alphabet for addresses (RFC 4648 5) is base64 too, but a line that is drawn is not. */
const BASE64_LINE = /^(?![-_]+$)[A-Za-z0-9+/_-]*={0,2}$/;

/** One in each line of the largest messages. */
const MAX_PADDINGS = 500_000;

/**
 * Node reads base64 up to the first padding. Programs that encode piece by piece, or join encoded pieces, leave padding
 * after each piece.
 */
function unbased(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(Math.ceil(text.length / 4) * 3);
  let length = 0;
  let start = 0;
  for (let paddings = 0; start < text.length; paddings++) {
    const padding = paddings < MAX_PADDINGS ? text.indexOf('=', start) : -1;
    const end = padding === -1 ? text.length : padding;
    length += bytes.write(text.slice(start, end), length, 'base64');
    start = end + 1;
  }
  return bytes.subarray(0, length);
}

function unquoted(content: Buffer): Buffer {
  const bytes = content
    .toString('latin1')
    .replace(/=[ \t]*\r?\n|=$/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

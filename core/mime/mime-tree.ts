import { Buffer } from 'node:buffer';
import { parseHeaderValue } from 'nodemailer/lib/mime-funcs';
import { type HeaderField, readHeaders, splitHeader } from '../mail/header-fields.ts';
import { decodedWords } from '../mail/header-words.ts';
import { readCms } from './cms.ts';
import { decodedFile, filesIn } from './encoded-files.ts';
import { readTnef } from './tnef.ts';

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

/** Names in lower case. Values may contain RFC 2047 words. */
type Params = Readonly<Record<string, string>>;

const MAX_DEPTH = 20;
const MAX_PARTS = 1000;
/** The most possible boundaries to examine. */
const MAX_CANDIDATES = 100_000;

interface Budget {
  parts: number;
  candidates: number;
  /** Whether files inside a part without MIME become parts. */
  readonly unpacks: boolean;
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
  const budget = { parts: MAX_PARTS, candidates: MAX_CANDIDATES, unpacks };
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const { part, complete } = readPart(bytes, { depth: 0, isWhole: true, untyped: TEXT }, budget);
  return { root: part, complete };
}

const TEXT = 'text/plain';
const LF = 0x0a;
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

function readPart(bytes: Buffer, position: Position, budget: Budget): ReadPart {
  const { depth, isWhole, untyped } = position;
  const { block, content } = splitHeader(bytes);
  const headers = readHeaders(block);
  const type = structured(headers, 'content-type');
  const disposition = structured(headers, 'content-disposition');
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
  if (!leaf.type.startsWith('multipart/') || boundary === '') return unpacked(leaf, position, budget);
  if (depth === MAX_DEPTH) return { part: { ...leaf, content: content.subarray(0, 0) }, complete: false };
  const slices = splitParts(content, boundary, budget);
  // RFC 2046 5.1.5
  const inner = leaf.type === 'multipart/digest' ? 'message/rfc822' : TEXT;
  const inside = { depth: depth + 1, isWhole: false, untyped: inner };
  const read = slices.parts.map((slice) => readPart(slice, inside, budget));
  const sealed = isWhole && budget.unpacks ? wholeCms(leaf.type, read) : undefined;
  if (sealed !== undefined) read[0] = unsigned(sealed, depth + 1, budget);
  return {
    part: { ...leaf, parts: read.map(({ part }) => part) },
    complete: slices.complete && read.every(({ complete }) => complete),
  };
}

/** A part that contains others without MIME, as a multipart of them. */
function unpacked(leaf: MimePart, { depth, isWhole }: Position, budget: Budget): ReadPart {
  if (!budget.unpacks) return { part: leaf, complete: true };
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

/** RFC 8551 3.2.1: some servers replace the type. */
function isCmsByName(leaf: MimePart): boolean {
  return leaf.type === 'application/octet-stream' && fileName(leaf).toLowerCase() === 'smime.p7m';
}

/** As written, perhaps with RFC 2047 words. Empty if it has none. */
export function fileName({ typeParams, dispositionParams }: MimePart): string {
  return dispositionParams.filename ?? typeParams.name ?? '';
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
  const { part, complete } = readPart(cms.content, inside, budget);
  return { part: { ...leaf, type: 'multipart/signed', content: empty, parts: [part] }, complete };
}

function filesInText(leaf: MimePart): MimePart[] {
  const isPlain = leaf.type === TEXT && leaf.disposition !== 'attachment';
  if (!isPlain || !/^(?:|7bit|8bit|binary)$/.test(encodingOf(leaf))) return [];
  const { text, files } = filesIn(leaf.content);
  if (files.length === 0) return [];
  return [
    { ...leaf, content: text },
    ...files.map(({ name, encoding, content }) => file(name, content, encoding)),
  ];
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

/** If a header is repeated, the first one counts, so that every reader sees the same message. */
function structured(headers: readonly HeaderField[], name: string): { value: string; params: Params } {
  const header = headers.find(({ key }) => key === name);
  const { value, params } = parseHeaderValue(header?.value ?? '', { stripComments: true });
  return { value: String(value).toLowerCase(), params: withoutWords(header?.value ?? '', params) };
}

/** The library turns RFC 2231 values into RFC 2047 words. A boundary or a charset is never one of them. */
function withoutWords(given: string, params: Params): Params {
  if (!/;\s*(?:boundary|charset)\*/i.test(given)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      name === 'boundary' || name === 'charset' ? decodedWords(value) : value,
    ]),
  );
}

/** Returns the text between the boundaries (RFC 2046 5.1.1). The line break before a boundary belongs to that. */
function splitParts(body: Buffer, boundary: string, budget: Budget): { parts: Buffer[]; complete: boolean } {
  const marker = Buffer.from(`--${boundary}`, 'utf8');
  const parts: Buffer[] = [];
  let start: number | undefined;
  for (let at = body.indexOf(marker); at !== -1; at = body.indexOf(marker, at + marker.length)) {
    if (budget.candidates-- === 0) return { parts, complete: false };
    if (at > 0 && body[at - 1] !== LF) continue;
    const behind = at + marker.length;
    const rest = /^(--)?[ \t]*(?:\r?\n|$)/.exec(body.toString('latin1', behind, behind + 100));
    if (rest === null) continue;
    if (start !== undefined) {
      if (budget.parts-- === 0) return { parts, complete: false };
      parts.push(body.subarray(start, Math.max(start, beforeLineBreak(body, at))));
    }
    start = behind + rest[0].length;
    if (rest[1] !== undefined) return { parts, complete: true };
  }
  // The message is cut off before its last boundary.
  if (start !== undefined) parts.push(body.subarray(start));
  return { parts, complete: true };
}

function beforeLineBreak(body: Buffer, at: number): number {
  return body[at - 2] === CR ? at - 2 : at - 1;
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
  if (/^(?:x-)?uue(?:ncode)?\b/.test(encoding)) return decodedFile(content, 'x-uuencode');
  if (/^(?:x-)?yenc(?:ode)?\b/.test(encoding)) return decodedFile(content, 'x-yencode');
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

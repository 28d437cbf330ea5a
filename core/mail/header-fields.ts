import { Buffer, isUtf8 } from 'node:buffer';
import { decodeText, switchesToJapanese } from './charset.ts';

/** The header fields of a message or of a part of one (RFC 5322 2.2), read up to a limit. */

export interface HeaderField {
  /** Lower case. */
  readonly key: string;
  /** Unfolded. */
  readonly value: string;
}

/** Of a header. The rest is not read. */
const MAX_HEADER_BYTES = 256 * 1024;
const LF = 0x0a;

/**
 * Returns the header block without the empty line that ends it. If that line is missing, the header ends at the first
 * line that is not a field. If every line is a field, the whole source is the header. A line of white space ends it too
 * if no field follows: otherwise it is the rest of a folded field (RFC 5322 4.2).
 */
export function splitHeader(bytes: Buffer): { block: Buffer; content: Buffer } {
  const none = /^\r?\n/.exec(bytes.toString('latin1', 0, 2));
  if (none !== null) return { block: bytes.subarray(0, 0), content: bytes.subarray(none[0].length) };
  const ends = ['\n\r\n', '\n\n'].map((end) => ({ at: bytes.indexOf(end), length: end.length }));
  const [first] = ends.filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at);
  if (first === undefined) {
    const end = endOfFields(bytes);
    return { block: bytes.subarray(0, end), content: bytes.subarray(end) };
  }
  const head = bytes.toString('latin1', 0, Math.min(first.at, MAX_HEADER_BYTES));
  const blank = BLANK_END.exec(head);
  if (blank === null)
    return { block: bytes.subarray(0, first.at), content: bytes.subarray(first.at + first.length) };
  return {
    block: bytes.subarray(0, blank.index),
    content: bytes.subarray(blank.index + blank[0].length),
  };
}

/** A line of white space, before one that is neither a field nor the rest of one. */
const BLANK_END = /\r?\n[ \t]+\r?\n(?![ \t\r\n]|[!-9;-~]+[ \t]*:)/;

/** Returns the start of the first line that is neither a field nor the continuation of one. */
function endOfFields(bytes: Buffer): number {
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(LF, start);
    const end = at === -1 ? bytes.length : at + 1;
    const line = bytes.toString('latin1', start, Math.min(end, start + MAX_NAME_CHARS));
    const isMailbox = start === 0 && line.startsWith('From ');
    if (!isMailbox && !/^(?:[ \t]|[!-9;-~]+[ \t]*:)/.test(line)) return start;
    start = end;
  }
  return bytes.length;
}

const MAX_NAME_CHARS = 1000;

/** Different programs may have added unencoded fields in different charsets, so each is decoded by itself. */
function fieldsOf(block: Buffer, bodyCharset: string): string[] {
  const between = /\r?\n(?![ \t])/;
  const text = block.toString('latin1');
  const fields = text.split(between);
  if (/^[\t\r\n -~]*$/.test(text)) return fields;
  const charset = declaredCharset(fields) ?? bodyCharset;
  return fields.map((field) => unencodedText(Buffer.from(field, 'latin1'), charset));
}

/** Most programs that do not encode a field write UTF-8, and the others the charset of the text. */
function unencodedText(bytes: Buffer, charset: string): string {
  return decodeText(bytes, isUtf8(bytes) || switchesToJapanese(bytes) ? '' : charset);
}

function declaredCharset(fields: readonly string[]): string | undefined {
  const type = fields.find((field) => /^content-type[ \t]*:/i.test(field));
  return type === undefined ? undefined : /;\s*charset\s*=\s*"?([^\s";]{1,60})/i.exec(type)?.[1];
}

/**
 * The fields of a header block, in order.
 * @param bodyCharset  of the text, for unencoded fields of a header that does not name one itself
 */
export function readHeaders(block: Buffer, bodyCharset = ''): HeaderField[] {
  return fieldsOf(block.subarray(0, MAX_HEADER_BYTES), bodyCharset).flatMap((field) => {
    const [name, key] = /^([!-9;-~]+)[ \t]*:/.exec(field) ?? [];
    if (name === undefined || key === undefined) return [];
    const unfolded = field.slice(name.length).replace(/\r?\n/g, '').replaceAll('\r', ' ');
    return [{ key: key.toLowerCase(), value: unfolded.trim() }];
  });
}

/** The header fields of a whole message. */
export function headersOf(source: Uint8Array): HeaderField[] {
  return readHeaders(headerBlock(source));
}

/** The header of a whole message, without the empty line that ends it: a view of its bytes. */
export function headerBlock(source: Uint8Array): Buffer {
  return splitHeader(Buffer.from(source.buffer, source.byteOffset, source.byteLength)).block;
}

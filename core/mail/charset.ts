import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { labelledEncoding } from './charset-labels.ts';

/**
 * Decodes bytes by a charset name from mail. If the name is missing, unknown, ASCII or ISO 8859-1, the bytes decide:
 * Japanese if they contain its escape sequences, else UTF-8 if valid, else windows-1252, which is what such labels mean
 * (WHATWG Encoding). UTF-8 under the name of another charset is UTF-8.
 */
export function decodeText(bytes: Buffer, charset = ''): string {
  return mislabelled(bytes, charset) ?? textDecoder(charset)(bytes);
}

/** Decodes texts in many pieces, by what their program is sure of: what the name means is found once. */
export function textDecoder(charset: string): (bytes: Buffer) => string {
  const encoding = encodingOf(charset);
  if (encoding === 'utf-8') return (bytes) => bytes.toString('utf8');
  if (encoding === 'iso-2022-jp' || /^iso-2022-jp/i.test(charset)) return japaneseText;
  const extended = EXTENDED.get(encoding ?? '');
  if (extended !== undefined) return (bytes) => iconv.decode(bytes, extended);
  // Node gets this wrong: github.com/nodejs/node/issues/56542
  if (encoding !== undefined && encoding !== 'windows-1252') return decodedBy(decoderOf(encoding));
  const shifted = SHIFTED.get(charset.toLowerCase());
  if (shifted !== undefined) return shifted;
  if (encoding === undefined && isCodePage(charset)) return (bytes) => iconv.decode(bytes, charset);
  return latinText;
}

/** A letter beyond ASCII: bytes of another charset hardly ever make a text in UTF-8 by chance. */
const LETTER = /[^\P{L}\0-\x7f]/u;
/** One that takes three bytes: in these charsets, whole words such as 谢谢 and รถ are also pairs of bytes in UTF-8. */
const LONG_LETTER = /[^\P{L}\0-\u07ff]/u;
const OF_SHORT_WORDS = /^(?:gb|big5|euc|shift_jis|iso-2022|hz-|windows-874|cp(?:874|9[345]\d)|tis)/;

/** The text of bytes that are UTF-8 although their label names another charset of bytes. Undefined if they are not. */
function mislabelled(bytes: Buffer, charset: string): string | undefined {
  const encoding = encodingOf(charset) ?? charset.toLowerCase();
  if (encoding === '' || encoding.startsWith('utf') || isAscii(bytes) || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return (OF_SHORT_WORDS.test(encoding) ? LONG_LETTER : LETTER).test(text) ? text : undefined;
}

function encodingOf(charset: string): string | undefined {
  return labelledEncoding(charset) ?? labelledEncoding(charset.replace(/^x-/i, ''));
}

function decodedBy(decoder: TextDecoder): (bytes: Buffer) => string {
  if (decoder.encoding !== 'utf-16le') return (bytes) => decoder.decode(bytes);
  return (bytes) =>
    bytes[0] === 0xfe && bytes[1] === 0xff ? iconv.decode(bytes, 'utf-16be') : decoder.decode(bytes);
}

function latinText(bytes: Buffer): string {
  if (switchesToJapanese(bytes)) return japaneseText(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'windows-1252');
}

/**
 * What some labels mean in mail and to browsers (WHATWG Encoding): charsets with thousands of characters more, which
 * Node's decoders of these names lack.
 */
export const EXTENDED: ReadonlyMap<string, string> = new Map([
  ['euc-kr', 'cp949'],
  ['big5', 'big5hkscs'],
  ['gbk', 'gb18030'],
]);

const CODE_PAGES =
  /^(?:cp|ibm|csibm|windows|win|iso|mac|xmac|koi8|armscii|big5|eucjp|gb|georgian|hproman|ks|pt154|rk1048|sjis|tcvn|tis620|viscii|utf7$|unicode11utf7$|utf32)/;

/**
 * Whether a charset's name is one of iconv-lite's tables, which decode in linear time. Its other names are not all
 * charsets: `base64` and `hex` decode something else, and `utf-7-imap` takes quadratic time.
 */
function isCodePage(charset: string): boolean {
  // Folds the name as iconv-lite does.
  const name = charset.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, '');
  // With its first codec iconv-lite fills the list of its names. Asking for an unknown one throws inside.
  return CODE_PAGES.test(name) && iconv.encodingExists('utf-8') && Object.hasOwn(iconv.encodings ?? {}, name);
}

/** Whether escape sequences in the bytes show that they are ISO-2022-JP, no matter which of its many names is used. */
export function switchesToJapanese(bytes: Buffer): boolean {
  return bytes.includes(0x1b) && (bytes.includes('\x1b$B') || bytes.includes('\x1b$@'));
}

/** The charset that an HTML page declares. */
export function htmlCharset(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  return /\b(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(head)?.[1];
}

const HEAD_BYTES = 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: shift out and shift in
const SHIFTS = /\x0e([^\x0e\x0f\r\n]*)\x0f?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence names the other charset
const DESIGNATIONS = /\x1b\$\)[A-Z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence names the charset of what follows
const JAPANESE = /\x1b(\$\(?[@A-D]|\([BHIJ])/;
const HZ_SHIFTS = /~(?:\{(.*?)(?:~\}|(?=\r?$))|\r?\n|(?=~))/gm;

/** Seven-bit charsets that browsers have dropped: RFC 1557, 1922 (its GB 2312 only), 1843. */
const SHIFTED: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['iso-2022-kr', (bytes) => shiftedText(bytes, 'euc-kr', SHIFTS)],
  ['iso-2022-cn', (bytes) => shiftedText(bytes, 'gbk', SHIFTS)],
  ['hz-gb-2312', (bytes) => shiftedText(bytes, 'gbk', HZ_SHIFTS)],
]);

/** Between the shifts are the characters of the other charset without their high bits. */
function shiftedText(bytes: Buffer, charset: string, shifts: RegExp): string {
  const text = bytes
    .toString('latin1')
    .replace(DESIGNATIONS, '')
    .replace(shifts, (_, between = '') => high(String(between)));
  return decodeText(Buffer.from(text, 'latin1'), charset);
}

function high(text: string): string {
  return text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) | 0x80));
}

/**
 * ISO-2022-JP with its extensions (RFC 1468, 1554; CP50221). Countersign's own: Node's decoder takes two escape sequences
 * in a row for an error, as they stand where two encoded words were joined, and does not know half-width letters.
 */
function japaneseText(bytes: Buffer): string {
  const [start = '', ...rest] = bytes.toString('latin1').split(JAPANESE);
  let text = start;
  for (let at = 0; at + 1 < rest.length; at += 2) text += designatedText(rest[at] ?? '', rest[at + 1] ?? '');
  return text;
}

/** The text after an escape sequence, up to the next one. */
function designatedText(designation: string, text: string): string {
  if (text === '' || designation === '(B' || designation === '(H') return text;
  if (designation === '(J') return text.replaceAll('\\', '¥').replaceAll('~', '‾');
  if (designation === '(I') return decodedLatin1(high(text).replace(/[\x80-\xff]/g, '\x8e$&'), 'euc-jp');
  const set = designation.at(-1);
  if (set === 'A') return decodedLatin1(high(text), 'gbk');
  if (set === 'C') return decodedLatin1(high(text), 'euc-kr');
  if (set === 'D') return decodedLatin1(high(text).replace(/[\x80-\xff]{2}/g, '\x8f$&'), 'euc-jp');
  return decodedLatin1(high(text), 'euc-jp');
}

function decodedLatin1(text: string, charset: string): string {
  return decodeText(Buffer.from(text, 'latin1'), charset);
}

/** By encoding. Decoding whole texts leaves nothing behind in a decoder. */
const DECODERS = new Map<string, TextDecoder>();

/** @param encoding one of `labelledEncoding`, so there are few */
function decoderOf(encoding: string): TextDecoder {
  const decoder = DECODERS.get(encoding) ?? new TextDecoder(encoding);
  DECODERS.set(encoding, decoder);
  return decoder;
}

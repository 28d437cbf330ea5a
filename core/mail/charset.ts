import { Buffer, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/**
 * Decodes bytes by a charset name from mail. If the name is missing, unknown, ASCII or ISO 8859-1, the bytes decide:
 * Japanese if they contain its escape sequences, else UTF-8 if valid, else windows-1252, which is what such labels mean
 * (WHATWG Encoding).
 */
export function decodeText(bytes: Buffer, charset = ''): string {
  const decoder = decoderOf(charset);
  if (decoder?.encoding === 'utf-8') return bytes.toString('utf8');
  if (decoder?.encoding === 'utf-16le' && bytes[0] === 0xfe && bytes[1] === 0xff)
    return iconv.decode(bytes, 'utf-16be');
  // Node gets this wrong: github.com/nodejs/node/issues/56542
  if (decoder !== undefined && decoder.encoding !== 'windows-1252') return decoder.decode(bytes);
  const shifted = SHIFTED.get(charset.toLowerCase());
  if (shifted !== undefined) return shifted(bytes);
  if (decoder === undefined && isCodePage(charset)) return iconv.decode(bytes, charset);
  if (switchesToJapanese(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'windows-1252');
}

const CODE_PAGES =
  /^(?:cp|ibm|csibm|windows|win|iso|mac|xmac|koi8|armscii|big5|eucjp|gb|georgian|hproman|ks|pt154|rk1048|sjis|tcvn|tis620|viscii|utf7$|utf32)/;

/**
 * Whether a charset's name is one of iconv-lite's tables, which decode in linear time. Its other names are not all
 * charsets: `base64` and `hex` decode something else, and `utf-7-imap` takes quadratic time.
 */
function isCodePage(charset: string): boolean {
  // Folds the name as iconv-lite does.
  const name = charset.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, '');
  return CODE_PAGES.test(name) && iconv.encodingExists(charset);
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
const HZ_SHIFTS = /~(?:\{(.*?)(?:~\}|(?=\r?$))|\r?\n|(?=~))/gm;

/** Seven-bit charsets that browsers have dropped: RFC 1557, 1922 (its GB 2312 only), 1843. */
const SHIFTED: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['iso-2022-kr', (bytes) => shiftedText(bytes, 'euc-kr', SHIFTS)],
  ['iso-2022-cn', (bytes) => shiftedText(bytes, 'gbk', SHIFTS)],
  ['hz-gb-2312', (bytes) => shiftedText(bytes, 'gbk', HZ_SHIFTS)],
]);

/** Between the shifts are the characters of the other charset without their high bits. */
function shiftedText(bytes: Buffer, charset: string, shifts: RegExp): string {
  const high = bytes
    .toString('latin1')
    .replace(DESIGNATIONS, '')
    .replace(shifts, (_, between = '') =>
      String(between).replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) | 0x80)),
    );
  return new TextDecoder(charset).decode(Buffer.from(high, 'latin1'));
}

function decoderOf(charset: string): TextDecoder | undefined {
  if (charset === '') return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    // There is no other way to find out whether it knows the label.
    return undefined;
  }
}

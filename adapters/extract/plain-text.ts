import { Buffer, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { decodeText, switchesToJapanese } from '../../core/mail/charset.ts';

/**
 * The text of bytes that may be in any charset: a byte order mark decides, then what the bytes can only be, then
 * what was declared, and windows-1252 where nothing else is known.
 * @returns undefined where the bytes are no text
 */
export function plainText(source: Uint8Array, declaredCharset: string | undefined): string | undefined {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const marked = MARKS.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark));
  if (marked !== undefined) return iconv.decode(bytes.subarray(marked.mark.length), marked.charset);
  const wide = unmarkedUtf16(bytes);
  if (wide !== undefined) return iconv.decode(bytes, wide);
  // Its shifts are control characters.
  if (/^iso-2022-(?:kr|cn)$/i.test(declaredCharset ?? '')) return decodeText(bytes, declaredCharset);
  if (!looksLikeText(bytes)) return undefined;
  if (/^(?:utf-?7|hz-gb-2312|iso-2022-)/i.test(declaredCharset ?? ''))
    return decodeText(bytes, declaredCharset);
  if (switchesToJapanese(bytes)) return decodeText(bytes, 'iso-2022-jp');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const known = declaredCharset !== undefined && !/^utf-?(?:8|16)/i.test(declaredCharset);
  return decodeText(bytes, known ? declaredCharset : 'windows-1252');
}

/** The longest first: the mark of UTF-32LE begins with that of UTF-16LE. */
const MARKS = [
  { mark: Buffer.of(0xff, 0xfe, 0, 0), charset: 'utf-32le' },
  { mark: Buffer.of(0, 0, 0xfe, 0xff), charset: 'utf-32be' },
  { mark: Buffer.of(0xef, 0xbb, 0xbf), charset: 'utf-8' },
  { mark: Buffer.of(0xff, 0xfe), charset: 'utf-16le' },
  { mark: Buffer.of(0xfe, 0xff), charset: 'utf-16be' },
];

const SAMPLE_BYTES = 64 * 1024;

/** Of random bytes every tenth is a control character, of programs and archives too. */
function looksLikeText(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isControl = (byte: number) =>
    byte === 0x7f || (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b && byte !== 0x1a);
  return sample.filter(isControl).length * 50 <= sample.length;
}

/** Most letters of most alphabets that computers began with have a zero as their other half. */
function unmarkedUtf16(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const many = sample.length * 0.35;
  const few = sample.length * 0.01;
  if (odd > many && even <= few) return 'utf-16le';
  return even > many && odd <= few ? 'utf-16be' : undefined;
}

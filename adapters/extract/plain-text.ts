import { Buffer, isUtf8 } from 'node:buffer';
import chardet from 'chardet';
import iconv from 'iconv-lite';
import { decodeText, switchesToJapanese } from '../../core/mail/charset.ts';

export interface PlainText {
  readonly text: string;
  /** The name of the charset, if it is not declared and the bytes only make it likely. */
  readonly guessed?: string;
}

/**
 * Decodes text in any charset. A byte order mark decides first, then what the bytes can only be, then the
 * declared charset. Otherwise the charset is guessed.
 * @returns undefined if the bytes are not text
 */
export function plainText(source: Uint8Array, declaredCharset: string | undefined): PlainText | undefined {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const marked = MARKS.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark));
  if (marked !== undefined) return { text: iconv.decode(bytes.subarray(marked.mark.length), marked.charset) };
  const wide = unmarkedUtf32(bytes) ?? unmarkedUtf16(bytes);
  if (wide !== undefined) return { text: iconv.decode(bytes, wide) };
  const shifted = shiftedCharset(bytes, declaredCharset);
  if (shifted !== undefined) return { text: decodeText(bytes, shifted) };
  if (!looksLikeText(bytes)) return undefined;
  if (/^(?:utf-?7|unicode-1-1-utf-7|hz-gb-2312|iso-2022-)/i.test(declaredCharset ?? ''))
    return { text: decodeText(bytes, declaredCharset) };
  if (switchesToJapanese(bytes)) return { text: decodeText(bytes, 'iso-2022-jp') };
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') };
  const isKnown = declaredCharset !== undefined && !/^utf-?(?:8|16)/i.test(declaredCharset);
  if (isKnown) return { text: decodeText(bytes, declaredCharset) };
  const guessed = likelyCharset(bytes);
  return { text: decodeText(bytes, guessed), guessed };
}

/**
 * ISO-2022-KR and -CN switch by control characters, which no other text contains. The first also declares
 * itself at the start.
 */
function shiftedCharset(bytes: Buffer, declaredCharset = ''): string | undefined {
  if (/^iso-2022-(?:kr|cn)$/i.test(declaredCharset)) return declaredCharset;
  return bytes.indexOf('\x1b$)C') === 0 ? 'iso-2022-kr' : undefined;
}

/** Per cent. Below it, all charsets are equally likely; charsets of several bytes are recognised clearly. */
const LIKELY = 20;
const LIKELY_MULTIBYTE = 50;
const MULTIBYTE = /^(?:Shift_JIS|EUC-|Big5|GB)/;
/** With fewer bytes beyond ASCII, any charset makes some word. */
const TELLING_BYTES = 6;

function likelyCharset(bytes: Buffer): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.filter((byte) => byte > 0x7f).length < TELLING_BYTES) return 'windows-1252';
  const [likely] = chardet
    .analyse(sample)
    .filter(({ name, confidence }) => confidence >= (MULTIBYTE.test(name) ? LIKELY_MULTIBYTE : LIKELY));
  // Text declared as ISO 8859-1 is windows-1252 (WHATWG Encoding).
  return likely === undefined || likely.name === 'ISO-8859-1' ? 'windows-1252' : likely.name;
}

/** The longest first: the mark of UTF-32LE starts with that of UTF-16LE. */
const MARKS = [
  { mark: Buffer.of(0xff, 0xfe, 0, 0), charset: 'utf-32le' },
  { mark: Buffer.of(0, 0, 0xfe, 0xff), charset: 'utf-32be' },
  { mark: Buffer.of(0xef, 0xbb, 0xbf), charset: 'utf-8' },
  { mark: Buffer.of(0xff, 0xfe), charset: 'utf-16le' },
  { mark: Buffer.of(0xfe, 0xff), charset: 'utf-16be' },
];

const SAMPLE_BYTES = 64 * 1024;

/** Every tenth random byte is a control character; programs and archives are similar. */
function looksLikeText(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isControl = (byte: number) =>
    byte === 0x7f || (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b && byte !== 0x1a);
  return sample.filter(isControl).length * 50 <= sample.length;
}

/** Every four bytes are the number of a character. In text of another charset hardly any four are. */
function unmarkedUtf32(bytes: Buffer): 'utf-32le' | 'utf-32be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.length === 0 || sample.length % 4 !== 0) return undefined;
  const view = new DataView(sample.buffer, sample.byteOffset, sample.length);
  const isText = (littleEndian: boolean) => {
    for (let at = 0; at < sample.length; at += 4) {
      const character = view.getUint32(at, littleEndian);
      if (character < 0x09 || character > 0x10ffff) return false;
    }
    return true;
  };
  if (isText(true)) return 'utf-32le';
  return isText(false) ? 'utf-32be' : undefined;
}

/** Most letters of the oldest alphabets of computers have a zero as their other half. */
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

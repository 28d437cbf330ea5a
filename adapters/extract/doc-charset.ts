import type { Buffer } from 'node:buffer';
import chardet from 'chardet';
import { textDecoder } from '../../core/mail/charset.ts';
import { fontCharset, SYMBOL } from '../../core/mime/code-page.ts';

/** What a Word document says of the charset of its text with one byte per character. */
interface Claims {
  /** The number of the language of the Word that wrote it (MS-LCID). */
  readonly language: number;
  /** The charset numbers of its fonts. */
  readonly fonts: readonly number[];
  /** The start of the text. */
  readonly sample: Buffer;
}

/** Word 97 says so (MS-DOC 2.4.1). */
const USUAL = 'windows-1252';

/**
 * Chooses the charset: other programs than Word write the code page of their country. Only charsets that the document
 * names count, if the text looks like one of them.
 */
export function docCharset({ language, fonts, sample }: Claims): string {
  if (sample.every((byte) => byte < 0x80)) return USUAL;
  // The last character of the sample may be cut.
  const fits = (charset: string) => !textDecoder(charset)(sample).slice(0, -1).includes('\ufffd');
  const isForeign = isOtherScript(sample);
  const named = [...new Set([USUAL, languageCharset(language), ...fonts.map(fontCharset)])].filter(
    (charset) => charset !== undefined && charset !== SYMBOL && fits(charset),
  );
  const likely = chardet
    .analyse(sample)
    .filter(({ confidence }) => confidence >= LIKELY)
    .map(({ name }) => FAMILIES[name] ?? name.toLowerCase());
  const isPossible = (charset = '') => isForeign === OTHER_SCRIPTS.test(charset);
  return likely.find((charset) => named.includes(charset)) ?? named.find(isPossible) ?? USUAL;
}

/** Per cent. Below it, all charsets are equally likely. */
const LIKELY = 20;

/** Other names for the letters that these charsets share. */
const FAMILIES: Readonly<Record<string, string>> = {
  'ISO-8859-1': 'windows-1252',
  'ISO-8859-2': 'windows-1250',
  'ISO-8859-5': 'windows-1251',
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
  GB18030: 'gbk',
};

/** Charsets whose letters are all beyond ASCII. */
const OTHER_SCRIPTS = /^(?:windows-(?:874|1251|1253|1255|1256)|shift_jis|gbk|euc-kr|big5)$/;

/** Whether most bytes beyond ASCII stand together. In Latin scripts there are one or two in a word. */
function isOtherScript(sample: Buffer): boolean {
  let together = 0;
  let all = 0;
  let run = 0;
  for (const byte of sample) {
    run = byte >= 0xa0 ? run + 1 : 0;
    if (run > 0) all++;
    if (run === 3) together += 3;
    else if (run > 3) together++;
  }
  return all > 0 && together * 2 > all;
}

/** The charset of a language, from the number of its locale. Undefined for windows-1252. */
function languageCharset(locale: number): string | undefined {
  return CHARSETS[locale & LANGUAGE];
}

/** The part of a locale's number without the country (MS-LCID 2.2). */
const LANGUAGE = 0x3ff;

const CHARSETS: Readonly<Record<number, string>> = {
  1: 'windows-1256',
  2: 'windows-1251',
  4: 'gbk',
  5: 'windows-1250',
  8: 'windows-1253',
  13: 'windows-1255',
  14: 'windows-1250',
  17: 'shift_jis',
  18: 'euc-kr',
  21: 'windows-1250',
  24: 'windows-1250',
  25: 'windows-1251',
  27: 'windows-1250',
  30: 'windows-874',
  31: 'windows-1254',
  34: 'windows-1251',
  36: 'windows-1250',
  37: 'windows-1257',
  38: 'windows-1257',
  39: 'windows-1257',
};

const MAX_FONTS = 1000;

/**
 * Returns the charset number of each font.
 * @param list the font table: the number of fonts, then each font with its size
 */
export function fontCharsets(list: Buffer): number[] {
  const found: number[] = [];
  let at = 4;
  while (at + 4 < list.length && found.length < MAX_FONTS) {
    found.push(list.readUInt8(at + 4));
    at += 1 + list.readUInt8(at);
  }
  return found;
}

/** Returns the charset of a Windows code page by its number. */
export function codePageCharset(codePage: number): string {
  return (
    CHARSETS[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : `cp${codePage}`)
  );
}

const CHARSETS: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  10000: 'macintosh',
  // The numbers that old workbooks use.
  32768: 'macintosh',
  32769: 'windows-1252',
  65001: 'utf-8',
};

/** In place of a charset: the font shows pictures. */
export const SYMBOL = 'symbol';

/** Returns the charset of a font by its number in Windows. Undefined: the font does not say, or it is windows-1252. */
export function fontCharset(number: number): string | undefined {
  return FONT_CHARSETS[number];
}

const FONT_CHARSETS: Readonly<Record<number, string>> = {
  2: SYMBOL,
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

/**
 * Returns the Windows code page of a locale (MS-LCID): what a program wrote there that says nothing else. Western European
 * for all that are not listed.
 */
export function localeCodePage(locale: number): number {
  const named = LOCALE_CODE_PAGES[locale];
  // The lower ten bits are the language.
  return named ?? LANGUAGE_CODE_PAGES[locale & 0x3ff] ?? 1252;
}

/** Locales whose code page is not that of their language: Chinese in other signs, Serbian and Bosnian in Cyrillic. */
const LOCALE_CODE_PAGES: Readonly<Record<number, number>> = {
  1028: 950,
  3076: 950,
  5124: 950,
  3098: 1251,
  7194: 1251,
  8218: 1251,
  10266: 1251,
  12314: 1251,
};

const LANGUAGE_CODE_PAGES: Readonly<Record<number, number>> = {
  // Arabic, Persian, Urdu
  1: 1256,
  41: 1256,
  32: 1256,
  // Bulgarian, Russian, Ukrainian, Belarusian, Macedonian, Kazakh
  2: 1251,
  25: 1251,
  34: 1251,
  35: 1251,
  47: 1251,
  63: 1251,
  // Czech, Hungarian, Polish, Romanian, Croatian, Slovak, Albanian, Slovenian
  5: 1250,
  14: 1250,
  21: 1250,
  24: 1250,
  26: 1250,
  27: 1250,
  28: 1250,
  36: 1250,
  // Chinese, Japanese, Korean, Thai, Vietnamese
  4: 936,
  17: 932,
  18: 949,
  30: 874,
  42: 1258,
  // Greek, Hebrew
  8: 1253,
  13: 1255,
  // Turkish, Azerbaijani
  31: 1254,
  44: 1254,
  // Estonian, Latvian, Lithuanian
  37: 1257,
  38: 1257,
  39: 1257,
};

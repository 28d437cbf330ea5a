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

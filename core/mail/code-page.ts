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

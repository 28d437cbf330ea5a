import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelledEncoding } from '../../../core/mail/charset-labels.ts';
import { decodedWords } from '../../../core/mail/header-words.ts';
import { rtfBody } from '../../../core/mime/rtf-body.ts';
import { costlier } from '../../growth.ts';
import { storedRtf } from '../mime/encoders.ts';

/** Parts of the labels of WHATWG Encoding, and of names that look like them. */
const STARTS = [
  ...[
    '',
    ' ',
    'x-',
    'x-x-',
    'cs',
    'cn-',
    'cp',
    'x-cp',
    'dos-',
    'ibm',
    'windows-',
    'l',
    'latin',
    'csisolatin',
  ],
  ...[
    'iso-ir-',
    'iso-8859-',
    'iso8859-',
    'iso8859',
    'iso_8859-',
    'csiso8859',
    'koi8',
    'utf',
    'utf-',
    'ecma-',
  ],
];
const NAMES = [
  ...'utf8 utf-8 unicode unicode11utf8 unicode20utf8 unicode-1-1-utf-8 unicodefeff unicodefffe ucs-2'.split(
    ' ',
  ),
  ...'iso-10646-ucs-2 ascii us-ascii ansi_x3.4-1968 arabic asmo-708 cyrillic greek greek8 elot_928'.split(
    ' ',
  ),
  ...'sun_eu_greek hebrew visual logical mac macintosh mac-roman mac-cyrillic mac-ukrainian tis-620'.split(
    ' ',
  ),
  ...'koi koi8 koi8r koi8_r chinese gb2312 gb_2312 gb_2312-80 gbk gb18030 iso58gb231280 big5 big5-hkscs'.split(
    ' ',
  ),
  ...'eucpkdfmtjapanese euc-jp euc-kr euckr iso-2022-jp iso2022jp shift_jis shift-jis shiftjis sjis'.split(
    ' ',
  ),
  ...'ms932 ms_kanji windows-31j korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 ksc56011987'.split(
    ' ',
  ),
  ...'isolatinarabic isolatingreek isolatinhebrew isolatincyrillic isolatin1 -r -u -ru nonsense'.split(' '),
];
const ENDS = ['', ' ', 'e', 'i', '-e', '-i', ':1987', ':1988', ':1989', 'x'];
/** Node's releases differ in whether they know it. */
const DISPUTED = /^iso-?_?8859-?16/;

function decodersEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

describe('the label of a charset', () => {
  it('means what it means to a decoder', () => {
    const numbers = ['', ...Array.from({ length: 1300 }, (_, number) => String(number))];
    const all = STARTS.flatMap((start) => [...NAMES, ...numbers].map((name) => `${start}${name}`));
    const ended = STARTS.flatMap((start) =>
      [...NAMES, '1', '6', '8'].flatMap((name) => ENDS.map((end) => `${start}${name}${end}`)),
    );
    const labels = [...all, ...ended].filter((label) => !DISPUTED.test(label));
    const differing = labels.filter((label) => labelledEncoding(label) !== decodersEncoding(label));
    expect(differing).toEqual([]);
    expect(new Set(labels.map(labelledEncoding)).size).toBeGreaterThan(36);
  });

  it('means the same in any case, with space around it', () => {
    const known = NAMES.filter((name) => labelledEncoding(name) !== undefined);
    fc.assert(
      fc.property(
        fc.mixedCase(fc.constantFrom(...known)),
        fc.constantFrom('', ' ', '\n\t'),
        (name, space) => {
          expect(labelledEncoding(`${space}${name}${space}`)).toBe(labelledEncoding(name.toLowerCase()));
        },
      ),
      { numRuns: 300 },
    );
  });
});

const RUNS = 10_000;
const inPieces = (codePage: number) => () =>
  rtfBody(storedRtf(`{\\rtf1\\ansi\\ansicpg${codePage}${'{a}'.repeat(RUNS)}}`));
const eachInItsOwn = (first: number) => () =>
  rtfBody(
    storedRtf(
      `{\\rtf1${Array.from({ length: RUNS }, (_, at) => `\\ansicpg${first + (at % 9)} a`).join('')}}`,
    ),
  );
const wordsIn = (label: string) => () => decodedWords(`=?${label}?q?a?= b `.repeat(RUNS));

describe('a charset that nobody knows costs no more than one that is known', () => {
  it.each([
    ['in many pieces of RTF', inPieces(9999), inPieces(1252)],
    ['in RTF that names one after the other', eachInItsOwn(9990), eachInItsOwn(1250)],
    ['in many words of a header', wordsIn('nonsense'), wordsIn('iso-8859-1')],
    ['with the name of a table', wordsIn('cp9999'), wordsIn('iso-8859-1')],
  ])('%s', (_name, unknown, known) => {
    expect(costlier(unknown, known, 3)).toBeUndefined();
  });
});

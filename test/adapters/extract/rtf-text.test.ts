import { expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';

const HIDDEN = '\n\n[Hidden text of this document is left out.]';
const fonts =
  '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 Mincho;}{\\f3\\fcharset2 Symbol;}}';

it.each([
  [
    'paragraphs and symbols',
    '\\pard Hello\\par\r\n\\ldblquote a\\rdblquote\\~b\\_c\\emdash d\\par',
    'Hello\n“a”\u00a0b-c—d',
  ],
  ['escapes', 'a\\{b\\}c\\\\d', 'a{b}c\\d'],
  ['the code page', "\\ansicpg1250 \\'8c\\'f3", 'Śó'],
  ['windows-1252 quotation marks', "\\'93a\\'94 \\'80", '“a” €'],
  ['the charset of a font, until its group ends', "{\\f1 \\'cf\\'f0}\\'cf", 'ПрÏ'],
  ['characters of two bytes', "\\f2 \\'93\\'fa\\'96\\'7b\\'8c\\'ea", '日本語'],
  ['second bytes that look like ASCII', "\\f2 \\'83e\\'83X", 'テス'],
  ['Unicode with its fallback', 'x\\u8364?y\\u-10179?\\u-8704?z', 'x€y😀z'],
  ['fallbacks of other lengths', "\\uc2 a\\u8364\\'80\\'80b{\\uc0\\u8364 c}\\u8364 ??d", 'a€b€c€d'],
  [
    'skipped pictures and properties',
    'a{\\*\\generator Riched20;}{\\pict\\wmetafile8 0102}{\\info{\\title T}}b',
    'ab',
  ],
  ['binary data', 'a{\\pict\\bin5 }}}}}b}c', 'ac'],
  ['fields as their results', '{\\field{\\*\\fldinst HYPERLINK "http://x"}{\\fldrslt link}}', 'link'],
  ['tables', '\\trowd\\intbl a\\par b\\cell c\\cell\\row\\pard d', 'a b\tc\nd'],
  ['hidden text', 'a{\\v b}c\\v d\\v0 e', `ace${HIDDEN}`],
  ['text too small to read', 'a{\\fs2 b}c\\fs1 d\\fs20 e\\fs1\\plain f', `acef${HIDDEN}`],
  ['deleted text', 'a{\\deleted b}c', 'ac'],
  ['an optional mark in the middle of a group', 'a\\b b\\* c{d\\*\\e f}g', 'ab cdfg'],
  ['optional groups that programs need not know', 'a{\\*\\unknown b}c{\r\n\\*\\unknown d}e', 'ace'],
  [
    'text in a shape, without its properties',
    'a{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn name}{\\sv value}}{\\shptxt in the shape\\par}}{\\shprslt drawn}}b',
    'ain the shape\nb',
  ],
  ['comments', 'a{\\*\\atnid AB}{\\*\\annotation{\\*\\atnref 1} check this}b\\par c', 'ab [check this]\nc'],
  [
    'several comments and footnotes of a paragraph',
    'wo{\\*\\annotation one\\par two}rd{\\footnote\\chftn  three}s',
    'words [one two three]',
  ],
  ['hidden comments', 'wo{\\*\\annotation\\v secret}rd', `word${HIDDEN}`],
  [
    'nested tables without what other programs show in place of them',
    '\\intbl a\\itap2 b\\nestcell{\\nonesttables fallback\\par}{\\*\\nesttableprops\\nestrow}\\cell\\row c',
    'ab\nc',
  ],
  ['bullets', "\\f3\\'b7\\tab one\\par\\u-3913?\\tab two\\par\\f3\\'fc\\'e9 x", '•\tone\n•\ttwo\n✓é x'],
  ['bullets in a document of two-byte letters', "\\ansicpg936{\\f3\\'b7}\\tab one", '•\tone'],
  ['more ends than starts', 'a}}}b', 'ab'],
])('%s', async (_name, body, text) => {
  const answer = await documentText(Buffer.from(`{\\rtf1\\ansi ${fonts}${body}`, 'latin1'), {
    name: '',
    mime: '',
  });
  expect(answer).toEqual({ kind: 'text', text, cut: false });
});

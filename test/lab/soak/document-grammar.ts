import { strToU8, zipSync } from 'fflate';
import {
  oldSheetFile,
  oldSlidesFile,
  oldWordFile,
  sheetCell,
  sheetRecord,
} from '../../adapters/extract/compound-files.ts';
import {
  officeFile,
  openDocumentFile,
  paragraph,
  run,
  sheetFile,
  slidesFile,
  wordFile,
} from '../../adapters/extract/office-files.ts';
import { below, type Dice, oneOf } from './mutation.ts';
import type { DocumentSeed } from './seeds.ts';

/**
 * Generates office files, RTF and tables from a grammar, and archives with a false directory.
 * @param scale how large: the same dice give the same document with more of the same content
 */
export function documentOf(roll: Dice, scale: number): DocumentSeed {
  const many = scale * oneOf(roll, [1, 1, 5, 200]);
  const make = oneOf<() => DocumentSeed>(roll, [
    () => file('a.docx', 'wordprocessingml.document', wordFile(wordBody(roll, many))),
    () => file('a.xlsx', 'spreadsheetml.sheet', sheetFile(rows(roll).repeat(many))),
    () =>
      file(
        'a.pptx',
        'presentationml.presentation',
        slidesFile(
          Array.from({ length: below(roll, 20) }, () => ({
            text: text(roll).repeat(many),
            hidden: roll() < 0.3,
          })),
        ),
      ),
    () => ({
      name: 'a.odt',
      mime: 'application/vnd.oasis.opendocument.text',
      bytes: Buffer.from(openDocumentFile(openBody(roll, many))),
    }),
    () => ({
      name: 'a.odp',
      mime: 'application/vnd.oasis.opendocument.presentation',
      bytes: Buffer.from(openDocumentFile(openPages(roll, many), '', { kind: 'presentation' })),
    }),
    () => ({ name: 'a.doc', mime: 'application/msword', bytes: oldWord(roll, scale) }),
    () => ({ name: 'a.rtf', mime: 'application/rtf', bytes: Buffer.from(rtf(roll, many), 'latin1') }),
    () => ({
      name: 'a.csv',
      mime: `text/csv; charset=${oneOf(roll, ['utf-8', 'utf-16le', 'x', 'shift_jis'])}`,
      bytes: Buffer.from(`${text(roll)};"${text(roll)}\n`.repeat(many)),
    }),
    () => ({ name: 'a.ppt', mime: 'application/vnd.ms-powerpoint', bytes: oldSlides(roll, scale) }),
    () => ({ name: 'a.xls', mime: 'application/vnd.ms-excel', bytes: oldSheet(roll, scale) }),
    () => ({ name: 'a.epub', mime: 'application/epub+zip', bytes: Buffer.from(book(roll, many)) }),
    () => ({ name: 'a.xlsb', mime: 'application/vnd.ms-excel', bytes: Buffer.from(binarySheet(roll, many)) }),
    () =>
      file(
        'a.docx',
        'wordprocessingml.document',
        Buffer.from(
          zipSync(
            {
              [`${'a/'.repeat(many)}x`]: strToU8('x'.repeat(1000 * many)),
              '[Content_Types].xml': strToU8(text(roll)),
            },
            { mtime: '2026-01-01' },
          ),
        ),
      ),
  ]);
  const document = make();
  if (roll() >= 0.3) return document;
  const isCompound = document.bytes.readUInt32BE(0) === 0xd0cf11e0;
  return { ...document, bytes: (isCompound ? tangled : lying)(roll, document.bytes) };
}

function file(name: string, kind: string, bytes: Uint8Array): DocumentSeed {
  return { name, mime: `application/vnd.openxmlformats-officedocument.${kind}`, bytes: Buffer.from(bytes) };
}

/** Rewrites ZIP headers with wrong sizes, offsets, methods and flags. */
function lying(roll: Dice, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (const signature of ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06']) {
    const at = changed.indexOf(signature, below(roll, 2) * 40, 'latin1');
    const field = at + 6 + below(roll, 24);
    if (at === -1 || field + 4 > changed.length || roll() < 0.4) continue;
    changed.writeUInt32LE(oneOf(roll, [0, 1, 0xffffffff, 0x7fffffff, changed.length, 8]), field);
  }
  return changed;
}

/** A compound file with other numbers than those of its contents: chains that end, cross or run in circles. */
function tangled(roll: Dice, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let times = 1 + below(roll, 6); times > 0; times--) {
    const at = 4 * below(roll, Math.floor(oneOf(roll, [1024, changed.length]) / 4));
    if (at + 4 > changed.length) continue;
    changed.writeUInt32LE(oneOf(roll, [0, 1, 2, 3, 0xfffffffe, 0xffffffff, 0x7fffffff, changed.length]), at);
  }
  return changed;
}

const OLD_BYTES = 6000;

function oldSlides(roll: Dice, scale: number): Buffer {
  const slides = Array.from({ length: 1 + below(roll, 3) * scale }, () => ({
    text: text(roll).repeat(1 + below(roll, 3)),
    ...(roll() < 0.5 ? { outline: text(roll) } : {}),
    ...(roll() < 0.3 ? { notes: text(roll) } : {}),
    hidden: roll() < 0.2,
  }));
  return oldSlidesFile(slides, roll() < 0.3 ? [text(roll)] : []);
}

function oldWord(roll: Dice, scale: number): Buffer {
  const runs = Array.from({ length: 1 + below(roll, 9) }, () => ({
    text: Buffer.from(text(roll).repeat(100 * scale), 'latin1'),
    ...(roll() < 0.5
      ? {
          properties: [
            ...anyBytes(roll, 9),
            ...oneOf(roll, [
              [0x3c, 0x08, 1],
              [0x00, 0x08, 1],
              [0x43, 0x4a, 2],
            ]),
          ],
        }
      : {}),
  }));
  const version = oneOf(roll, [193, 217, 101]);
  return oldWordFile(runs, { version, language: below(roll, 48), pieces: roll() < 0.5 });
}

function oldSheet(roll: Dice, scale: number): Buffer {
  const records: Buffer[] = [];
  for (let left = OLD_BYTES * scale; left > 0; left -= records.at(-1)?.length ?? left) {
    const type = oneOf(
      roll,
      [0x06, 0x7d, 0xbd, 0xd6, 0xfd, 0x203, 0x204, 0x205, 0x207, 0x208, 0x27e, 0x809, 0x0a],
    );
    records.push(sheetCell(type, below(roll, 9), below(roll, 300), anyBytes(roll, 30)));
  }
  const globals = Array.from({ length: below(roll, 6) }, () =>
    sheetRecord(oneOf(roll, [0x22, 0x3c, 0x42, 0x85, 0xe0, 0xfc, 0x41e]), anyBytes(roll, 60)),
  );
  return oldSheetFile(records, globals);
}

function anyBytes(roll: Dice, most: number): Buffer {
  return Buffer.from(
    Array.from({ length: below(roll, most) }, () => oneOf(roll, [0, 0, 1, 2, 0x41, 0xff, below(roll, 256)])),
  );
}

function book(roll: Dice, many: number): Uint8Array {
  const links = '<link rel="stylesheet" href="a.css"/>'.repeat(below(roll, 3) * many);
  const chapter = `<html><head>${links}</head><body>${`<p>${text(roll)}<a/></p>`.repeat(many)}</body></html>`;
  const href = oneOf(roll, ['a.xhtml', '../a.xhtml', '%zz', '/EPUB/a.xhtml']);
  const list = `<package><manifest><item id="a" href="${href}" media-type="application/xhtml+xml"/></manifest><spine>${'<itemref idref="a"/>'.repeat(many)}</spine></package>`;
  return zipSync(
    {
      'META-INF/container.xml': strToU8('<container><rootfile full-path="EPUB/b.opf"/></container>'),
      'EPUB/b.opf': strToU8(list),
      'EPUB/a.xhtml': strToU8(chapter),
      'EPUB/a.css': strToU8(oneOf(roll, SHEETS).repeat(many)),
    },
    { mtime: '2026-01-01' },
  );
}

const SHEETS = [
  'a{display:none}',
  '@import "a.css";',
  '@import url( a.css ) print;',
  '@import ',
  'p>a:not(b){color:red}',
  '</style>',
];

function binarySheet(roll: Dice, many: number): Uint8Array {
  const record = () => {
    const data = anyBytes(roll, 40);
    return Buffer.concat([
      Buffer.from([oneOf(roll, [0, 1, 2, 5, 6, 7, 8, 13, 18, 60, 62]), data.length]),
      data,
    ]);
  };
  const part = Buffer.concat(Array.from({ length: 1 + below(roll, 20) }, record));
  const id = Buffer.from('rId1', 'utf16le');
  const sheet = Buffer.concat([
    Buffer.from([0x9c, 0x01, 24, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]),
    id,
    Buffer.alloc(4),
  ]);
  const type = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
  return officeFile([
    {
      name: '/xl/workbook.bin',
      type,
      xml: Buffer.concat([Buffer.from([0x83, 0x01, 0]), sheet]),
      related: { rId1: ['worksheet', 'sheet.bin'], rId2: ['sharedStrings', 'sheet.bin'] },
    },
    {
      name: '/xl/sheet.bin',
      type: 'application/vnd.ms-excel.worksheet',
      xml: Buffer.from(part.toString('latin1').repeat(many), 'latin1'),
    },
  ]);
}

const TEXTS = [
  'words ',
  '&amp;',
  '&#x202e;',
  '&#0;',
  '&boom;',
  '<![CDATA[x]]>',
  '<!-- x -->',
  '\u200b',
  '👩‍💻',
  '<',
  '&lt;',
  '1234.5',
  '\t',
];

function text(roll: Dice): string {
  return Array.from({ length: 1 + below(roll, 4) }, () => oneOf(roll, TEXTS)).join('');
}

function wordBody(roll: Dice, many: number): string {
  const part = Array.from({ length: 1 + below(roll, 4) }, () =>
    paragraph(
      run(text(roll), oneOf(roll, ['', '<w:vanish/>', '<w:vanish w:val="0"/>', '<w:color w:val="FFFFFF"/>'])),
    ),
  ).join('');
  const [open, close] = oneOf(roll, [
    ['', ''],
    ['<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>'],
    ['<w:p>', '</w:p>'],
    ['<w:sdt>', ''],
    ['<mc:AlternateContent><mc:Choice>', '</mc:Choice></mc:AlternateContent>'],
  ] as const);
  return open.repeat(many) + part.repeat(many) + close.repeat(many);
}

function rows(roll: Dice): string {
  const cells = Array.from(
    { length: 1 + below(roll, 5) },
    () =>
      `<x:c r="${oneOf(roll, ['A1', 'XFD1048576', 'ZZZZZZ1', '', 'B2'])}" t="${oneOf(roll, ['s', 'n', 'str', 'inlineStr', 'b', 'd', 'e', ''])}" s="${oneOf(roll, ['0', '99999999', '-1'])}"><x:v>${oneOf(roll, ['0', '1', '99999999', '-1', '1e308', '45000.5', 'x', ''])}</x:v></x:c>`,
  );
  return `<x:row r="${oneOf(roll, ['1', '1048576', 'x'])}">${cells.join('')}</x:row>`;
}

function openBody(roll: Dice, many: number): string {
  const [open, close] = oneOf(roll, [
    ['', ''],
    ['<text:section>', '</text:section>'],
    ['<text:span>', '</text:span>'],
    ['<text:note>', ''],
    [
      '<table:table><table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="9999">',
      '</table:table-cell></table:table-row></table:table>',
    ],
  ] as const);
  const inner = `<text:p text:style-name="${oneOf(roll, ['a', 'P1'])}">${text(roll)}<text:s text:c="${oneOf(roll, ['1', '999999999', '-1', 'x'])}"/><text:tab/></text:p>`;
  return open.repeat(many) + inner.repeat(many) + close.repeat(many);
}

function openPages(roll: Dice, many: number): string {
  const visibility = oneOf(roll, ['', ' draw:style-name="hidden"', ' presentation:visibility="hidden"']);
  const page = `<draw:page${visibility}><draw:frame><draw:text-box><text:p>${text(roll)}</text:p></draw:text-box></draw:frame><presentation:notes><text:p>${text(roll)}</text:p></presentation:notes></draw:page>`;
  return `<office:presentation>${page.repeat(many)}</office:presentation>`;
}

function rtf(roll: Dice, many: number): string {
  const pieces = [
    '{',
    '}',
    '\\par ',
    "\\'e9",
    '\\u8364?',
    '\\u-1 ',
    '\\bin5 ',
    '\\bin999999999 ',
    '{\\*\\x ',
    '\\uc9 ',
    '\\v ',
    '\\v0 ',
    '{\\field{\\*\\fldinst x}',
    '\\f9 ',
    'words ',
    '\\',
    '\\fcharset128 ',
    '{\\fonttbl',
    '{\\object{\\objdata 00}}',
  ];
  const part = Array.from({ length: 1 + below(roll, 20) }, () => oneOf(roll, pieces)).join('');
  return `{\\rtf1\\ansi${part.repeat(many)}}`;
}

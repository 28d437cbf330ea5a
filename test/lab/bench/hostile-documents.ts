import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { oldSheetFile, oldWordFile, sheetCell } from '../../adapters/extract/compound-files.ts';
import {
  openDocumentFile,
  paragraph,
  run,
  sheetFile,
  slidesFile,
  wordFile,
} from '../../adapters/extract/office-files.ts';
import { outlookFile } from '../../adapters/extract/outlook-files.ts';

const MB = 1024 * 1024;

/** Attachments that take longest to read, by their names. */
export const HOSTILE_DOCUMENTS: Readonly<Record<string, () => Uint8Array>> = {
  'runs.docx': () => wordFile(paragraph(run('a')).repeat(400_000)),
  'nested.docx': () => wordFile('<w:tc>'.repeat(1_000_000) + paragraph(run('deep'))),
  'bomb.docx': () => wordFile(paragraph(run('x'.repeat(1000))).repeat(60_000)),
  'cells.xlsx': () => sheetFile('<x:row><x:c r="XFD1"><x:v>1</x:v></x:c></x:row>'.repeat(300_000)),
  'strings.xlsx': () =>
    sheetFile(`<x:row>${'<x:c t="s"><x:v>0</x:v></x:c>'.repeat(5000)}</x:row>`, {
      strings: `<si><t>${'x'.repeat(30_000)}</t></si>`.repeat(500),
    }),
  'many.pptx': () => slidesFile(Array.from({ length: 3000 }, () => ({ text: 'x.co '.repeat(200) }))),
  'rows.ods': () =>
    openDocumentFile(
      `<table:table>${'<table:table-row table:number-rows-repeated="999"><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(20_000)}</table:table>`,
      '',
      { kind: 'spreadsheet' },
    ),
  'deep.odt': () => openDocumentFile('<text:section><text:p>a</text:p>'.repeat(300_000)),
  'groups.rtf': () => Buffer.from(`{\\rtf1 ${'{\\b x\\par}'.repeat(900_000)}}`),
  'runs.doc': () => oldWordFile(Array.from({ length: 60 }, () => ({ text: Buffer.alloc(7000, 'a b ') }))),
  'cells.xls': () =>
    oldSheetFile(
      Array.from({ length: 18_000 }, (_, n) => sheetCell(0x204, n, n % 256, Buffer.from('\x04\0abcd'))),
    ),
  'files.zip': () =>
    zipSync(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`${n}.txt`, strToU8('x')]))),
  'operators.pdf': () => pdfFile('(a b c) Tj T* '.repeat(700_000)),
  'paths.pdf': () => pdfFile('0 0 m 9 9 l S q 1 0 0 1 0 0 cm Q '.repeat(500_000)),
  'tags.html': () => Buffer.alloc(10 * MB, '<div><b>x'),
  'lines.csv': () => Buffer.alloc(10 * MB, '"x.co","a@b.co";1\n'),
  'random.pdf': () => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(10 * MB)]),
  'hidden.msg': () => outlookFile({ texts: { 4096: 'x.co a@b.co '.repeat(18_000) } }),
  'message.eml': () => Buffer.from(`Subject: x\r\n\r\n${'h.co a@b.co\r\n'.repeat(700_000)}`),
};

/** A page with this content. */
function pdfFile(content: string): Buffer {
  const stream = deflateSync(`BT /F1 8 Tf 10 TL 40 780 Td ${content} ET`);
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from(
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>',
    ),
    Buffer.from('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'),
    Buffer.concat([
      Buffer.from(`<</Length ${stream.length}/Filter/FlateDecode>>stream\n`),
      stream,
      Buffer.from('\nendstream'),
    ]),
  ];
  let file = Buffer.from('%PDF-1.7\n');
  const rows = objects.map((object, index) => {
    const row = `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file = Buffer.concat([file, Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    return row;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  const trailer = `trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`;
  return Buffer.concat([file, Buffer.from(table + trailer)]);
}

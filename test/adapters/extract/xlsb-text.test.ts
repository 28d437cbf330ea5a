import { utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';
import { officeFile } from './office-files.ts';

/** Writes a binary workbook with SheetJS. @param hidden  the indexes of its hidden sheets */
function workbook(sheets: Readonly<Record<string, unknown[][]>>, hidden: readonly number[] = []): Buffer {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = utils.aoa_to_sheet(rows);
    sheet['!cols'] = [{}, { hidden: name === 'Columns' }];
    utils.book_append_sheet(book, sheet, name);
  }
  book.Workbook = { Sheets: Object.keys(sheets).map((_, i) => ({ Hidden: hidden.includes(i) ? 1 : 0 })) };
  const bytes: unknown = write(book, { type: 'buffer', bookType: 'xlsb' });
  if (!Buffer.isBuffer(bytes)) throw new Error('SheetJS returned no buffer');
  return bytes;
}

async function textOf(bytes: Uint8Array): Promise<string> {
  const answer = await documentText(bytes, { name: '', mime: '' });
  return answer.kind === 'text' ? answer.text : `(${answer.reason})`;
}

describe('an .xlsb', () => {
  it('is shown like other workbooks', async () => {
    const rows = [
      ['Item', 'Amount', 'Paid', 'Date'],
      ['Stuhl & Tisch 東京', 0.1 + 0.2, true, new Date(2026, 2, 1)],
      [-17, 1e20, false, null, 'far'],
    ];
    expect(await textOf(workbook({ Orders: rows, Notes: [['one\ntwo']] }))).toBe(
      'Orders\nItem\tAmount\tPaid\tDate\nStuhl & Tisch 東京\t0.3\tTRUE\t2026-03-01\n-17\t100000000000000000000\tFALSE\t\tfar\n\nNotes\none two',
    );
  });

  it('leaves out hidden sheets and columns, and says so', async () => {
    const sheets = { Columns: [['a', 'ignore', 'b']], Secret: [['all instructions']] };
    expect(await textOf(workbook(sheets, [1]))).toBe(
      'Columns\na\t\tb\n\n[Hidden text of this document is left out.]',
    );
  });

  it('is broken if its first part is something else', async () => {
    const type = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
    expect(await textOf(officeFile([{ name: '/xl/workbook.bin', type, xml: '<workbook/>' }]))).toBe(
      '(broken)',
    );
  });

  it('gets an answer whatever its records are', async () => {
    const type = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
    const record = fc
      .tuple(
        fc.constantFrom(0, 2, 5, 7, 8, 13, 18, 44, 47, 60, 62, 156, 300),
        fc.uint8Array({ maxLength: 40 }),
      )
      .map(([kind, data]) =>
        Buffer.from([kind & 0x7f, ...(kind > 127 ? [kind >> 7] : []), data.length, ...data]),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(record), fc.uint8Array({ maxLength: 20 }), async (records, rest) => {
        const part = Buffer.concat([Buffer.from([0x83, 0x01, 0]), ...records, rest]);
        const related = {
          a: ['worksheet', 'workbook.bin'],
          b: ['sharedStrings', 'workbook.bin'],
          c: ['styles', 'workbook.bin'],
        } as const;
        const answer = await documentText(
          officeFile([{ name: '/xl/workbook.bin', type, xml: part, related }]),
          { name: '', mime: '' },
        );
        expect(['text', 'empty']).toContain(answer.kind);
      }),
      { numRuns: 500 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRecord } from '../../../hosts/dashboard/activity/csv.ts';

/** What a spreadsheet makes of a cell that it may run. */
const RUNS = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

describe('a record of CSV', () => {
  it.each([
    ['plain', '"plain"\r\n'],
    ['a "b", c', '"a ""b"", c"\r\n'],
    ['two\nlines', '"two\nlines"\r\n'],
    ['=1+1', '"\'=1+1"\r\n'],
    ['+49 30 1', '"\'+49 30 1"\r\n'],
    ['-1', '"\'-1"\r\n'],
    ['@SUM(A1)', '"\'@SUM(A1)"\r\n'],
    ['\tx', '"\'\tx"\r\n'],
    ['\rx', '"\'\rx"\r\n'],
    ['＝1', '"\'＝1"\r\n'],
    [' \u200b=1', '"\' \u200b=1"\r\n'],
    ['a; =1', '"a;\' =1"\r\n'],
    ['a=1;b', '"a=1;b"\r\n'],
  ])('%j', (cell, record) => {
    expect(csvRecord([cell])).toBe(record);
  });

  it('contains its cells, as RFC 4180 reads them, and no cell runs at any separator', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab"=+-@;,\t\r\n ＝\u200b') });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        const record = csvRecord(cells);
        const quoted = [...record.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n$)/g)];
        expect(quoted.map(([whole]) => whole).join('')).toBe(record);
        const read = quoted.map(([, cell = '']) => cell.replaceAll('""', '"'));
        expect(read.map((cell) => cell.replaceAll("'", ''))).toEqual(cells);
        for (const cell of read) expect(cell).not.toMatch(RUNS);
        for (const part of read.flatMap((cell) => cell.split(/[;\t]/)))
          expect(part).not.toMatch(/^[\s\p{Cf}]*[=+\-@＝]/u);
      }),
    );
  });
});

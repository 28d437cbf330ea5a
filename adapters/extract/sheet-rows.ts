import type { BoundedText } from './bounded-text.ts';
import { serialDate } from './sheet-dates.ts';

/** Writes the rows of one sheet: cells separated by tabs. Leaves out hidden rows and columns. */
export interface SheetRows {
  /** Columns count from 1. Hides both and those between them. */
  hideColumns(first: number, last: number): void;
  /** Ends the previous row. */
  begin(isHidden: boolean): void;
  /** In the order of the columns. */
  cell(column: number, text: string): void;
  end(): void;
}

/** A cell far to the right of the last one follows it after this many tabs. */
const MAX_GAP = 50;
const MAX_HIDDEN_RANGES = 200;

export function sheetRows(out: BoundedText): SheetRows {
  const hiddenColumns: { first: number; last: number }[] = [];
  let isRowHidden = false;
  /** Columns of this row that are written. */
  let written = 0;
  const end = () => {
    if (written > 0) out.write('\n');
    written = 0;
  };
  return {
    hideColumns(first, last) {
      if (hiddenColumns.length < MAX_HIDDEN_RANGES) hiddenColumns.push({ first, last });
    },
    begin(isHidden) {
      end();
      isRowHidden = isHidden;
    },
    cell(column, text) {
      if (text === '') return;
      if (isRowHidden || hiddenColumns.some(({ first, last }) => first <= column && column <= last)) {
        out.leftOutHidden();
        return;
      }
      const gap = Math.max(written === 0 ? 0 : 1, column - Math.max(1, written));
      out.write('\t'.repeat(Math.min(gap, MAX_GAP)) + text.replace(/\s/g, ' '));
      written = column;
    },
    end,
  };
}

/** Numbers are stored with the noise of their last binary digits. */
export function numberText(value: string, isDate: boolean, from1904: boolean): string {
  if (isDate) return serialDate(value, from1904);
  const number = Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value;
}

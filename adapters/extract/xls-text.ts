import type { Buffer } from 'node:buffer';
import type { BoundedText } from './bounded-text.ts';
import type { CompoundFile } from './compound-file.ts';
import { NoText } from './no-text.ts';
import { isDateFormat } from './sheet-dates.ts';
import { numberText, sheetRows } from './sheet-rows.ts';
import { MAX_SHARED_CHARS, MAX_SHARED_STRINGS } from './sheet-text.ts';

/** Excel 97 to 2003. */
export const XLS = 'Workbook';

/** Types of records. Source: MS-XLS 2.3.1. */
const FORMULA = 0x0006;
const END = 0x000a;
const DATE_MODE = 0x0022;
const FILE_PASS = 0x002f;
const CONTINUE = 0x003c;
const COLUMNS = 0x007d;
const SHEET = 0x0085;
const MANY_RK = 0x00bd;
const RICH_LABEL = 0x00d6;
const CELL_FORMAT = 0x00e0;
const SHARED_STRINGS = 0x00fc;
const SHARED_LABEL = 0x00fd;
const NUMBER = 0x0203;
const LABEL = 0x0204;
const BOOL_OR_ERROR = 0x0205;
const STRING = 0x0207;
const ROW = 0x0208;
const RK = 0x027e;
const FORMAT = 0x041e;
const BEGIN = 0x0809;

const EXCEL_97 = 0x0600;
const ROW_HIDDEN = 0x20;
const MAX_SHEETS = 10_000;
const MAX_FORMATS = 100_000;
const MAX_HIDDEN_ROWS = 100_000;

/**
 * Extracts the sheets of Excel workbooks from 97 to 2003 (MS-XLS) in the same form as those of newer ones. Leaves
 * out hidden sheets, rows and columns.
 * @throws NoText `encrypted`, `broken`, `unsupported_type`
 */
export function xlsText(file: CompoundFile, out: BoundedText): void {
  const stream = file.stream(XLS);
  const workbook = readWorkbook(stream, out);
  const seen = new Set<number>();
  for (const { at, title, isHidden, isWorksheet } of workbook.sheets) {
    if (out.full) return;
    if (!isWorksheet || seen.has(at)) continue;
    seen.add(at);
    if (isHidden) {
      out.leftOutHidden();
      continue;
    }
    out.write(`${title}\n`);
    sheetText(stream, at, workbook, out);
    out.write('\n');
  }
}

interface Workbook {
  readonly from1904: boolean;
  readonly strings: readonly string[];
  /** By the number of the cell's format. */
  readonly dates: readonly boolean[];
  readonly sheets: readonly Sheet[];
}

interface Sheet {
  readonly at: number;
  readonly title: string;
  readonly isHidden: boolean;
  readonly isWorksheet: boolean;
}

interface BiffRecord {
  readonly type: number;
  readonly data: Buffer;
  /** Where the next record starts. */
  readonly end: number;
}

function* records(stream: Buffer, begin: number): Generator<BiffRecord> {
  let at = begin;
  while (at + 4 <= stream.length) {
    const end = at + 4 + stream.readUInt16LE(at + 2);
    yield { type: stream.readUInt16LE(at), data: stream.subarray(at + 4, end), end };
    at = end;
  }
}

function readWorkbook(stream: Buffer, out: BoundedText): Workbook {
  let from1904 = false;
  let strings: readonly string[] = [];
  const codes = new Map<number, string>();
  const formats: number[] = [];
  const sheets: Sheet[] = [];
  let isFirst = true;
  for (const { type, data, end } of records(stream, 0)) {
    if (isFirst) {
      const version = type === BEGIN && data.length >= 4 ? data.readUInt16LE(0) : 0;
      if (version !== EXCEL_97) throw new NoText('unsupported_type');
    }
    isFirst = false;
    if (type === END) break;
    if (type === FILE_PASS) throw new NoText('encrypted');
    if (type === DATE_MODE && data.length >= 2) from1904 = data.readUInt16LE(0) === 1;
    if (type === FORMAT && data.length >= 5 && codes.size < MAX_FORMATS) {
      codes.set(data.readUInt16LE(0), unicode(data, 4, data.readUInt16LE(2)));
    }
    if (type === CELL_FORMAT && data.length >= 4 && formats.length < MAX_FORMATS) {
      formats.push(data.readUInt16LE(2));
    }
    if (type === SHEET && data.length >= 8 && sheets.length < MAX_SHEETS) {
      sheets.push({
        at: data.readUInt32LE(0),
        isHidden: (data.readUInt8(4) & 3) !== 0,
        isWorksheet: data.readUInt8(5) === 0,
        title: unicode(data, 7, data.readUInt8(6)),
      });
    }
    if (type === SHARED_STRINGS) strings = sharedStrings(continued(stream, data, end), out);
  }
  const dates = formats.map((id) => isDateFormat(id, codes.get(id)));
  return { from1904, strings, dates, sheets };
}

/** @param at  the place of the byte that says whether characters have one byte or two */
function unicode(data: Buffer, at: number, chars: number): string {
  if (at >= data.length) return '';
  const isWide = (data.readUInt8(at) & 1) !== 0;
  return isWide
    ? data.toString('utf16le', at + 1, at + 1 + 2 * chars)
    : data.toString('latin1', at + 1, at + 1 + chars);
}

/** A record and its continuations. */
function continued(stream: Buffer, data: Buffer, end: number): Buffer[] {
  const pieces = [data];
  for (const next of records(stream, end)) {
    if (next.type !== CONTINUE) break;
    pieces.push(next.data);
  }
  return pieces;
}

/** A string may continue in the next piece, which states the width of its characters again. MS-XLS 2.4.265, 2.5.293. */
function sharedStrings(pieces: readonly Buffer[], out: BoundedText): string[] {
  const strings: string[] = [];
  let piece = 0;
  let at = 8;
  let total = 0;
  const current = () => pieces[piece];
  /** @returns whether this many bytes are available, in this piece or all in the next */
  const has = (bytes: number): boolean => {
    const here = current();
    if (here === undefined) return false;
    if (at + bytes <= here.length) return true;
    if (at < here.length) return false;
    piece++;
    at = 0;
    return has(bytes);
  };
  const skip = (bytes: number) => {
    let left = bytes;
    for (let here = current(); here !== undefined && left > 0; here = current()) {
      const taken = Math.min(left, here.length - at);
      left -= taken;
      at += taken;
      if (left === 0) return;
      piece++;
      at = 0;
    }
  };
  const read = (chars: number, isWideAtFirst: boolean): string => {
    let text = '';
    let isWide = isWideAtFirst;
    for (let here = current(); here !== undefined && text.length < chars; here = current()) {
      const charBytes = isWide ? 2 : 1;
      const taken = Math.min(chars - text.length, Math.floor((here.length - at) / charBytes));
      text += here.toString(isWide ? 'utf16le' : 'latin1', at, at + taken * charBytes);
      at += taken * charBytes;
      if (text.length === chars) break;
      piece++;
      at = 1;
      isWide = ((current()?.[0] ?? 0) & 1) !== 0;
    }
    return text;
  };
  while (has(3)) {
    const here = current();
    if (here === undefined) break;
    const chars = here.readUInt16LE(at);
    const flags = here.readUInt8(at + 2);
    at += 3;
    let behind = 0;
    if ((flags & 8) !== 0 && has(2)) {
      behind += 4 * (current()?.readUInt16LE(at) ?? 0);
      at += 2;
    }
    if ((flags & 4) !== 0 && has(4)) {
      behind += current()?.readUInt32LE(at) ?? 0;
      at += 4;
    }
    strings.push(read(chars, (flags & 1) !== 0));
    skip(behind);
    total += chars;
    if (strings.length >= MAX_SHARED_STRINGS || total > MAX_SHARED_CHARS) {
      out.incomplete();
      break;
    }
  }
  return strings;
}

function sheetText(stream: Buffer, begin: number, workbook: Workbook, out: BoundedText): void {
  const { strings, dates, from1904 } = workbook;
  const rows = sheetRows(out);
  const hiddenRows = new Set<number>();
  let row = -1;
  /** Sheets within a sheet, such as charts. */
  let depth = 0;
  /** The cell that the text of the formula belongs to. The text comes after the formula. */
  let formula: { row: number; column: number } | undefined;
  const put = (atRow: number, column: number, shown: string) => {
    if (atRow !== row) rows.begin(hiddenRows.has(atRow));
    row = atRow;
    rows.cell(column + 1, shown);
  };
  const number = (value: number, format: number) =>
    numberText(String(value), dates[format] === true, from1904);
  const plain = (data: Buffer, at: number) => unicode(data, at + 2, data.readUInt16LE(at));
  for (const { type, data } of records(stream, begin)) {
    if (out.full) return;
    if (type === BEGIN) depth++;
    else if (type === END && --depth <= 0) break;
    if (depth > 1) continue;
    const [atRow = 0, column = 0, format = 0] = data.length >= 6 ? words(data) : [];
    if (type === COLUMNS && data.length >= 10) {
      if ((data.readUInt16LE(8) & 1) !== 0) rows.hideColumns(atRow + 1, column + 1);
    } else if (type === ROW && data.length >= 14) {
      if ((data.readUInt16LE(12) & ROW_HIDDEN) !== 0 && hiddenRows.size < MAX_HIDDEN_ROWS)
        hiddenRows.add(atRow);
    } else if (type === SHARED_LABEL && data.length >= 10) {
      put(atRow, column, strings[data.readUInt32LE(6)] ?? '');
    } else if ((type === LABEL || type === RICH_LABEL) && data.length >= 8) {
      put(atRow, column, plain(data, 6));
    } else if (type === NUMBER && data.length >= 14) {
      put(atRow, column, number(data.readDoubleLE(6), format));
    } else if (type === RK && data.length >= 10) {
      put(atRow, column, number(rkNumber(data.readUInt32LE(6)), format));
    } else if (type === MANY_RK) {
      for (let at = 4, i = 0; at + 6 <= data.length - 2; at += 6, i++) {
        put(atRow, column + i, number(rkNumber(data.readUInt32LE(at + 2)), data.readUInt16LE(at)));
      }
    } else if (type === BOOL_OR_ERROR && data.length >= 8) {
      put(
        atRow,
        column,
        data.readUInt8(7) === 0 ? boolText(data.readUInt8(6)) : errorText(data.readUInt8(6)),
      );
    } else if (type === FORMULA && data.length >= 14) {
      formula = undefined;
      if (data.readUInt16LE(12) !== 0xffff) put(atRow, column, number(data.readDoubleLE(6), format));
      else if (data.readUInt8(6) === 0) formula = { row: atRow, column };
      else if (data.readUInt8(6) === 1) put(atRow, column, boolText(data.readUInt8(8)));
      else if (data.readUInt8(6) === 2) put(atRow, column, errorText(data.readUInt8(8)));
    } else if (type === STRING && formula !== undefined && data.length >= 2) {
      put(formula.row, formula.column, plain(data, 0));
      formula = undefined;
    }
  }
  rows.end();
}

function words(data: Buffer): [number, number, number] {
  return [data.readUInt16LE(0), data.readUInt16LE(2), data.readUInt16LE(4)];
}

/** The high 30 bits are those of a double, or a whole number; one of the others divides it by 100. */
export function rkNumber(rk: number): number {
  const value = (rk & 2) !== 0 ? (rk | 0) >> 2 : highBits(rk & 0xfffffffc);
  return (rk & 1) !== 0 ? value / 100 : value;
}

function highBits(high: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, high >>> 0);
  return view.getFloat64(0);
}

export function boolText(value: number): string {
  return value === 0 ? 'FALSE' : 'TRUE';
}

/** Source: MS-XLS 2.5.10. */
export function errorText(code: number): string {
  return ERRORS[code] ?? '';
}

const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
};

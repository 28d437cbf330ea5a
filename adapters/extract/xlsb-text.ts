import { Buffer } from 'node:buffer';
import type { BoundedText } from './bounded-text.ts';
import { NoText } from './no-text.ts';
import type { OfficePackage } from './office-package.ts';
import { isDateFormat } from './sheet-dates.ts';
import { numberText, sheetRows } from './sheet-rows.ts';
import { MAX_SHARED_CHARS, MAX_SHARED_STRINGS, workbookParts } from './sheet-text.ts';
import { boolText, errorText, rkNumber } from './xls-text.ts';

export const BINARY_WORKBOOK = /ms-excel\.sheet\.binary\.macroenabled\.main$/;

/** Types of records. Source: MS-XLSB 2.3.2. */
const ROW = 0;
const CELL_BLANK = 1;
const CELL_RK = 2;
const CELL_ERROR = 3;
const CELL_BOOL = 4;
const CELL_NUMBER = 5;
const CELL_STRING = 6;
const CELL_SHARED = 7;
const FORMULA_STRING = 8;
const FORMULA_NUMBER = 9;
const FORMULA_BOOL = 10;
const FORMULA_ERROR = 11;
/**
 * From here on, the same types of cells do not name their column: it is the one after the last cell.
 */
const SHORT_BLANK = 12;
const SHORT_SHARED = 18;
const SHARED_STRING = 19;
const FORMAT = 44;
const CELL_FORMAT = 47;
const COLUMNS = 60;
const CELL_RICH = 62;
const WORKBOOK_BEGIN = 131;
const WORKBOOK = 153;
const SHEET = 156;
const CELL_FORMATS_BEGIN = 617;
const CELL_FORMATS_END = 618;

const ROW_HIDDEN = 0x10;
const MAX_FORMATS = 100_000;
/** No record that is read is longer than a cell's longest text. */
const MAX_RECORD_BYTES = 1_000_000;

/**
 * Extracts workbooks whose parts are records instead of XML (MS-XLSB), in the same form as the others.
 * @throws NoText `broken`
 */
export function xlsbText(office: OfficePackage, workbook: string, out: BoundedText): void {
  const parts = workbookParts(out, {
    strings: () =>
      office.relatedAs(workbook, 'sharedStrings').flatMap((part) => sharedStrings(office, part, out)),
    dates: () => office.relatedAs(workbook, 'styles').flatMap((part) => cellFormats(office, part)),
  });
  const related = office.related(workbook);
  let from1904 = false;
  let hasBegun = false;
  for (const { type, data } of records(office.bytes(workbook))) {
    if (out.full) return;
    hasBegun ||= type === WORKBOOK_BEGIN;
    if (!hasBegun) throw new NoText('broken');
    if (type === WORKBOOK && data.length >= 4) from1904 = (data.readUInt32LE(0) & 1) !== 0;
    if (type !== SHEET || data.length < 12) continue;
    const { text: id, end } = wideString(data, 8);
    const sheet = related.get(id);
    if (sheet === undefined || !sheet.type.endsWith('/worksheet')) continue;
    if (data.readUInt32LE(0) !== 0) {
      out.leftOutHidden();
      continue;
    }
    out.write(`${wideString(data, end).text}\n`);
    sheetText(records(office.bytes(sheet.part)), out, {
      shared: parts.string,
      number: (value, format) => numberText(String(value), parts.isDate(format), from1904),
    });
    out.write('\n');
  }
}

interface BinaryRecord {
  readonly type: number;
  readonly data: Buffer;
}

/**
 * Types and lengths are numbers of 7 bits per byte, the lowest first (MS-XLSB 2.1.4). A long record comes
 * without its data.
 */
function* records(pieces: Iterable<Uint8Array>): Generator<BinaryRecord> {
  let rest: Buffer = Buffer.alloc(0);
  let toSkip = 0;
  for (const piece of pieces) {
    const added = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const skipped = Math.min(toSkip, added.length);
    toSkip -= skipped;
    rest = rest.length === 0 ? added.subarray(skipped) : Buffer.concat([rest, added.subarray(skipped)]);
    let at = 0;
    for (;;) {
      const type = varint(rest, at, 2);
      const length = type && varint(rest, type.end, 4);
      if (length === undefined || type === undefined) break;
      const end = length.end + length.value;
      if (end > rest.length && length.value <= MAX_RECORD_BYTES) break;
      yield {
        type: type.value,
        data: rest.subarray(length.end, length.value > MAX_RECORD_BYTES ? length.end : end),
      };
      at = Math.min(end, rest.length);
      toSkip = end - at;
    }
    rest = rest.subarray(at);
  }
}

function varint(bytes: Buffer, at: number, most: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let i = 0; i < most; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  return { value, end: at + most };
}

/** A length in characters, then that many of two bytes. */
function wideString(data: Buffer, at: number): { text: string; end: number } {
  if (at + 4 > data.length) return { text: '', end: data.length };
  const end = Math.min(data.length, at + 4 + 2 * data.readUInt32LE(at));
  return { text: data.toString('utf16le', at + 4, end), end };
}

function sharedStrings(office: OfficePackage, part: string, out: BoundedText): string[] {
  const strings: string[] = [];
  let chars = 0;
  for (const { type, data } of records(office.bytes(part))) {
    if (type !== SHARED_STRING) continue;
    // The first byte says what follows the text.
    const { text } = wideString(data, 1);
    strings.push(text);
    chars += text.length;
    if (strings.length < MAX_SHARED_STRINGS && chars <= MAX_SHARED_CHARS) continue;
    out.incomplete();
    break;
  }
  return strings;
}

/** @returns for each cell style, whether it shows a number as a date or time */
function cellFormats(office: OfficePackage, part: string): boolean[] {
  const codes = new Map<number, string>();
  const areDates: boolean[] = [];
  let inCellFormats = false;
  for (const { type, data } of records(office.bytes(part))) {
    if (type === CELL_FORMATS_BEGIN || type === CELL_FORMATS_END) inCellFormats = type === CELL_FORMATS_BEGIN;
    if (data.length < 4 || areDates.length > MAX_FORMATS || codes.size > MAX_FORMATS) continue;
    if (type === FORMAT) codes.set(data.readUInt16LE(0), wideString(data, 2).text);
    if (type !== CELL_FORMAT || !inCellFormats) continue;
    const id = data.readUInt16LE(2);
    areDates.push(isDateFormat(id, codes.get(id)));
  }
  return areDates;
}

interface Display {
  shared(index: number): string;
  number(value: number, format: number): string;
}

function sheetText(all: Iterable<BinaryRecord>, out: BoundedText, display: Display): void {
  const rows = sheetRows(out);
  let column = 0;
  for (const { type, data } of all) {
    if (out.full) return;
    if (type === COLUMNS && data.length >= 18) {
      if ((data.readUInt16LE(16) & 1) !== 0)
        rows.hideColumns(data.readUInt32LE(0) + 1, data.readUInt32LE(4) + 1);
    } else if (type === ROW && data.length >= 13) {
      rows.begin((data.readUInt8(11) & ROW_HIDDEN) !== 0);
      column = 0;
    } else if (type >= SHORT_BLANK && type <= SHORT_SHARED && data.length >= 4) {
      column++;
      const text = cellText(type - SHORT_BLANK + CELL_BLANK, data, display);
      if (text !== undefined) rows.cell(column, text);
    } else if (isCell(type) && data.length >= 8) {
      column = data.readUInt32LE(0) + 1;
      const text = cellText(type, data.subarray(4), display);
      if (text !== undefined) rows.cell(column, text);
    }
  }
  rows.end();
}

function isCell(type: number): boolean {
  return (type >= CELL_BLANK && type <= FORMULA_ERROR) || type === CELL_RICH;
}

/** The number of the format comes before each value. */
function cellText(type: number, data: Buffer, display: Display): string | undefined {
  const format = data.readUInt32LE(0) & 0xffffff;
  const has = (bytes: number) => data.length >= 4 + bytes;
  switch (type) {
    case CELL_RK:
      return has(4) ? display.number(rkNumber(data.readUInt32LE(4)), format) : undefined;
    case CELL_NUMBER:
    case FORMULA_NUMBER:
      return has(8) ? display.number(data.readDoubleLE(4), format) : undefined;
    case CELL_BOOL:
    case FORMULA_BOOL:
      return has(1) ? boolText(data.readUInt8(4)) : undefined;
    case CELL_ERROR:
    case FORMULA_ERROR:
      return has(1) ? errorText(data.readUInt8(4)) : undefined;
    case CELL_SHARED:
      return has(4) ? display.shared(data.readUInt32LE(4)) : undefined;
    case CELL_STRING:
    case FORMULA_STRING:
      return wideString(data, 4).text;
    case CELL_RICH:
      return wideString(data, 5).text;
    default:
      return undefined;
  }
}

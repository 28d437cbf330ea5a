import type { BoundedText } from './bounded-text.ts';
import type { OfficePackage } from './office-package.ts';
import { cellFormats, serialDate } from './sheet-dates.ts';
import { attribute, type XmlEvent } from './xml.ts';

export const WORKBOOK = /(?:spreadsheetml|ms-excel)\.[\w.]+\.main\+xml$/;

/** Cells far to the right of the last one follow it after so many tabs. */
const MAX_GAP = 50;
const MAX_SHARED_STRINGS = 500_000;
const MAX_SHARED_CHARS = 20_000_000;
const MAX_HIDDEN_RANGES = 200;

/**
 * Each sheet is its name and its rows, cells separated by tabs, dates as ISO 8601, formulas as their last results.
 * Hidden sheets, rows and columns are left out.
 */
export function sheetText(office: OfficePackage, workbook: string, out: BoundedText): void {
  const strings = office
    .partsOf(workbook, 'sharedStrings')
    .flatMap((part) => sharedStrings(office.events(part), out));
  const dates = office.partsOf(workbook, 'styles').flatMap((part) => cellFormats(office.events(part)));
  const related = office.related(workbook);
  let from1904 = false;
  for (const event of office.events(workbook)) {
    if (out.full) return;
    if (event.kind !== 'open') continue;
    if (event.name === 'workbookPr') from1904 = /^(?:1|true)$/.test(attribute(event, 'date1904') ?? '');
    if (event.name !== 'sheet') continue;
    const sheet = related.get(attribute(event, 'id') ?? '');
    if (sheet === undefined || !sheet.type.endsWith('/worksheet')) continue;
    if (/hidden/i.test(attribute(event, 'state') ?? '')) {
      out.leftOutHidden();
      continue;
    }
    out.write(`${attribute(event, 'name') ?? ''}\n`);
    rows(office.events(sheet.part), out, ({ type, style, value }) => {
      if (type === 's') return strings[Number(value)] ?? '';
      if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
      if (type !== 'n') return value;
      return dates[style] === true ? serialDate(value, from1904) : shortNumber(value);
    });
    out.write('\n');
  }
}

interface Cell {
  readonly type: string;
  readonly style: number;
  readonly value: string;
}

function rows(events: Iterable<XmlEvent>, out: BoundedText, display: (cell: Cell) => string): void {
  const hiddenColumns: { min: number; max: number }[] = [];
  let rowHidden = false;
  let inValue = false;
  let type = 'n';
  let style = 0;
  let value = '';
  let column = 0;
  /** Columns of this row that are written. */
  let written = 0;
  for (const event of events) {
    if (out.full) return;
    if (event.kind === 'text') {
      if (inValue) value += event.text;
      continue;
    }
    const opens = event.kind === 'open';
    switch (event.name) {
      case 'col':
        if (opens && isOn(attribute(event, 'hidden')) && hiddenColumns.length < MAX_HIDDEN_RANGES) {
          hiddenColumns.push({ min: Number(attribute(event, 'min')), max: Number(attribute(event, 'max')) });
        }
        break;
      case 'row':
        if (opens) {
          rowHidden = isOn(attribute(event, 'hidden'));
          column = 0;
          written = 0;
        } else if (written > 0) out.write('\n');
        break;
      case 'v':
      case 't':
        inValue = opens;
        break;
      case 'c':
        if (opens) {
          type = attribute(event, 't') ?? 'n';
          style = Number(attribute(event, 's') ?? 0);
          value = '';
          column = columnOf(attribute(event, 'r')) ?? column + 1;
        } else if (value !== '') {
          const isHidden = rowHidden || hiddenColumns.some(({ min, max }) => min <= column && column <= max);
          if (isHidden) {
            out.leftOutHidden();
            break;
          }
          const gap = Math.max(written === 0 ? 0 : 1, column - Math.max(1, written));
          out.write(
            '\t'.repeat(Math.min(gap, MAX_GAP)) + display({ type, style, value }).replace(/\s/g, ' '),
          );
          written = column;
        }
        break;
    }
  }
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** `C7` is in column 3. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  return Array.from(letters).reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0);
}

/** Numbers are stored with the noise of their last binary digits. */
function shortNumber(value: string): string {
  const number = Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value;
}

function sharedStrings(events: Iterable<XmlEvent>, out: BoundedText): string[] {
  const strings: string[] = [];
  let chars = 0;
  let text = '';
  let inText = false;
  /** How a name is spoken, beside it: not part of the text. */
  let inPhonetics = false;
  for (const event of events) {
    if (event.kind === 'text') {
      if (inText && !inPhonetics) text += event.text;
      continue;
    }
    const opens = event.kind === 'open';
    if (event.name === 't') inText = opens;
    else if (event.name === 'rPh') inPhonetics = opens;
    else if (event.name === 'si' && opens) text = '';
    else if (event.name === 'si') {
      strings.push(text);
      chars += text.length;
    }
    if (strings.length > MAX_SHARED_STRINGS || chars + text.length > MAX_SHARED_CHARS) {
      out.incomplete();
      break;
    }
  }
  return strings;
}

import type { BoundedText } from './bounded-text.ts';
import type { OfficePackage } from './office-package.ts';
import { cellFormats } from './sheet-dates.ts';
import { numberText, sheetRows } from './sheet-rows.ts';
import type { XmlEvent } from './xml.ts';

export const WORKBOOK = /(?:spreadsheetml|ms-excel)\.[\w.]+\.main\+xml$/;

/** Per workbook. */
export const MAX_SHARED_STRINGS = 500_000;
export const MAX_SHARED_CHARS = 20_000_000;

/**
 * Extracts the name and the rows of each sheet: cells separated by tabs, dates as ISO 8601, formulas as their
 * last results. Leaves out hidden sheets, rows and columns.
 */
export function sheetText(office: OfficePackage, workbook: string, out: BoundedText): void {
  const parts = workbookParts(out, {
    strings: () =>
      office.partsOf(workbook, 'sharedStrings').flatMap((part) => sharedStrings(office.events(part), out)),
    dates: () => office.partsOf(workbook, 'styles').flatMap((part) => cellFormats(office.events(part))),
  });
  const related = office.related(workbook);
  let from1904 = false;
  for (const event of office.events(workbook)) {
    if (out.full) return;
    if (event.kind !== 'open') continue;
    if (event.name === 'workbookPr') from1904 = /^(?:1|true)$/.test(event.attributes.date1904 ?? '');
    if (event.name !== 'sheet') continue;
    const sheet = related.get(event.attributes.id ?? '');
    if (sheet === undefined || !sheet.type.endsWith('/worksheet')) continue;
    if (/hidden/i.test(event.attributes.state ?? '')) {
      out.leftOutHidden();
      continue;
    }
    out.write(`${event.attributes.name ?? ''}\n`);
    rows(office.events(sheet.part), out, ({ type, style, value }) => {
      if (type === 's') return parts.string(Number(value));
      if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
      if (type !== 'n') return value;
      return numberText(value, parts.isDate(style), from1904);
    });
    out.write('\n');
  }
}

/**
 * The parts that cells refer to. Each is read when the first cell needs it: some programs name parts that they do not
 * write.
 */
export function workbookParts(
  out: BoundedText,
  read: { strings(): readonly string[]; dates(): readonly boolean[] },
): { string(index: number): string; isDate(style: number): boolean } {
  let strings: readonly string[] | undefined;
  let dates: readonly boolean[] | undefined;
  return {
    string(index) {
      strings ??= read.strings();
      const text = strings[index];
      if (text === undefined) out.incomplete();
      return text ?? '';
    },
    isDate(style) {
      dates ??= read.dates();
      return dates[style] === true;
    },
  };
}

interface Cell {
  readonly type: string;
  readonly style: number;
  readonly value: string;
}

function rows(events: Iterable<XmlEvent>, out: BoundedText, display: (cell: Cell) => string): void {
  const sheet = sheetRows(out);
  let inValue = false;
  let type = 'n';
  let style = 0;
  let value = '';
  let column = 0;
  for (const event of events) {
    if (out.full) return;
    if (event.kind === 'text') {
      if (inValue) value += event.text;
      continue;
    }
    const opens = event.kind === 'open';
    switch (event.name) {
      case 'col':
        if (opens && isOn(event.attributes.hidden)) {
          sheet.hideColumns(Number(event.attributes.min), Number(event.attributes.max));
        }
        break;
      case 'row':
        if (opens) {
          sheet.begin(isOn(event.attributes.hidden));
          column = 0;
        } else sheet.end();
        break;
      case 'v':
      case 't':
        inValue = opens;
        break;
      case 'c':
        if (opens) {
          type = event.attributes.t ?? 'n';
          style = Number(event.attributes.s ?? 0);
          value = '';
          column = columnOf(event.attributes.r) ?? column + 1;
        } else if (value !== '') sheet.cell(column, display({ type, style, value }));
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

function sharedStrings(events: Iterable<XmlEvent>, out: BoundedText): string[] {
  const strings: string[] = [];
  let chars = 0;
  let text = '';
  let inText = false;
  /** The pronunciation of a name beside it is not part of the text. */
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

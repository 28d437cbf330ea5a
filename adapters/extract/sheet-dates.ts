import { DAY_MS } from '../../core/time/durations.ts';
import type { XmlEvent } from './xml.ts';

/** Number formats that are dates without a format code. Source: ECMA-376 part 1, 18.8.30. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);

/** 31 December 9999. */
const MAX_SERIAL = 2_958_465;

/** @returns for each cell style, whether it shows a number as a date or time */
export function cellFormats(events: Iterable<XmlEvent>): boolean[] {
  const codes = new Map<number, string>();
  const areDates: boolean[] = [];
  let inCellFormats = false;
  for (const event of events) {
    if (event.kind === 'text') continue;
    if (event.name === 'cellXfs') inCellFormats = event.kind === 'open';
    if (event.kind === 'close') continue;
    if (event.name === 'numFmt') {
      codes.set(Number(event.attributes.numFmtId), event.attributes.formatCode ?? '');
    }
    if (event.name === 'xf' && inCellFormats) {
      const id = Number(event.attributes.numFmtId);
      areDates.push(isDateFormat(id, codes.get(id)));
    }
  }
  return areDates;
}

/** @param code  of the format, if the workbook defines it itself */
export function isDateFormat(id: number, code: string | undefined): boolean {
  return code === undefined ? isBuiltInDate(id) : isDateCode(code);
}

/** Letters in quotation marks, in brackets (colours) and after a backslash are text. */
function isDateCode(code: string): boolean {
  return /[ymdhs]/i.test(code.slice(0, 200).replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}

/** Formats days since the epoch of the workbook as ISO 8601 without a zone: a date, a time, or both. */
export function serialDate(value: string, from1904: boolean): string {
  const serial = Number(value);
  if (!(serial >= 0 && serial <= MAX_SERIAL)) return value;
  // The format inherited a 29 February 1900, day 60, which never existed.
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const iso = new Date(epoch + Math.round(serial * 86_400) * 1000).toISOString();
  const date = iso.slice(0, 10);
  const time = iso.slice(11, 19).replace(/:00$/, '');
  if (serial < 1 && !from1904) return time;
  return serial * DAY_MS - Math.floor(serial) * DAY_MS < 500 ? date : `${date} ${time}`;
}

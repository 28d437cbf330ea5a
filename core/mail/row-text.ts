import { shortened } from '../text/shortened.ts';
import type { MailAddress } from './address.ts';

/** The texts of a row in a list: each is one line, as a person would read it. */

/** Replaces each control character and line separator with a space. The length stays the same. */
export function controlsAsSpaces(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

/** A longer name could push the address out of sight. */
const NAME_CHARS = 200;

/**
 * `Ada <ada@example.org>`, or the part that exists. A name that could be mistaken for an address follows the address
 * and is marked as a name: `eve@evil.example (named "ceo@bank.example")`.
 */
export function displayAddress({ name: given, address }: MailAddress): string {
  const name = shortened(given, NAME_CHARS);
  if (name === '' || name.toLowerCase() === address.toLowerCase()) return controlsAsSpaces(address);
  if (address === '') return controlsAsSpaces(name);
  return controlsAsSpaces(
    /[@<>＠﹫＜＞]/u.test(name) ? `${address} (named ${JSON.stringify(name)})` : `${name} <${address}>`,
  );
}

export function displayAddresses(addresses: readonly MailAddress[]): string {
  return addresses.map(displayAddress).join(', ');
}

/** The first two lines of what a message says to a reader. */
export function headOf({ from, subject }: { readonly from: string; readonly subject: string }): string {
  return `${from}\n${subject}`;
}

/**
 * The date that a message claims.
 * @param dateHeader value of its Date header, undecoded; null if it has none
 * @returns ISO 8601 in whole seconds, with the offset of the header; INTERNALDATE with `+00:00` if it cannot be read
 */
export function dateOf(dateHeader: string | null, internalDate: Date): string {
  return (
    (dateHeader === null ? undefined : headerDate(dateHeader)) ??
    `${internalDate.toISOString().slice(0, 19)}+00:00`
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** RFC 5322 4.3, which reads all other zone names, including military ones, as UTC. */
const ZONES: Readonly<Record<string, string>> = {
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
};

/** RFC 5322 3.3 with the obsolete forms of 4.3: years of two digits, named zones, comments. */
const DATE_HEADER =
  /^(?:[A-Za-z]+\.?,?\s*)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([+-])(\d{2})(\d{2})|([A-Za-z]{1,5}))?$/;

function headerDate(value: string): string | undefined {
  const match = DATE_HEADER.exec(
    value
      .slice(0, 200)
      .replace(/\([^()]*\)/g, ' ')
      .trim(),
  );
  if (match === null) return undefined;
  const [
    ,
    day = '',
    monthName = '',
    yearDigits = '',
    hour = '',
    minute = '',
    second = '00',
    sign,
    zoneH,
    zoneM,
    zone = '',
  ] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase());
  const year = fullYear(yearDigits);
  // Most readers of ISO 8601 reject leap seconds.
  const seconds = Math.min(Number(second), 59);
  const instant = new Date(Date.UTC(year, month, Number(day), Number(hour), Number(minute), seconds));
  const exists =
    month !== -1 &&
    instant.getUTCDate() === Number(day) &&
    instant.getUTCHours() === Number(hour) &&
    Number(minute) < 60 &&
    Number(second) <= 60;
  if (!exists || Number(zoneH ?? 0) > 23 || Number(zoneM ?? 0) > 59) return undefined;
  const numeric = sign === undefined ? ZONES[zone.toUpperCase()] : `${sign}${zoneH}:${zoneM}`;
  const offset = numeric === undefined || numeric === '-00:00' ? '+00:00' : numeric;
  return `${instant.toISOString().slice(0, 19)}${offset}`;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

/**
 * The value of a Date header: RFC 5322 3.3 with the obsolete forms of 4.3 (years of two digits, named zones, comments),
 * and what programs write instead: ISO 8601, the form of C's `asctime`, hours with AM and PM, dots between the digits of
 * the time.
 */

/** Longer values are no dates. */
const MAX_CHARS = 200;
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

const WEEKDAY = String.raw`(?:[a-z]{2,9}\.?,? ?)?`;
const MONTH = String.raw`(?<month>[a-z]{3})[a-z]{0,6}\.?`;
const TIME = String.raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:\.\d{1,9})?)?(?: ?(?<half>[ap])\.?m\.?)?`;
const ZONE = String.raw`(?:(?:GMT|UTC?)? ?(?<sign>[+-])(?<zoneH>\d{2}):?(?<zoneM>\d{2})|(?<zone>[a-z]{1,5}))?`;

const FORMS = [
  String.raw`${WEEKDAY}(?<day>\d{1,2})[ -]+${MONTH}[ -]+(?<year>\d{2,4}),? ${TIME} ?${ZONE}`,
  String.raw`(?<year>\d{4})-(?<digits>\d{2})-(?<day>\d{2})[T ]${TIME} ?${ZONE}`,
  String.raw`${WEEKDAY}${MONTH} (?<day>\d{1,2}) ${TIME} (?:[a-z]{1,5} )?(?<year>\d{4}) ?${ZONE}`,
].map((form) => new RegExp(`^${form}$`, 'i'));

/**
 * @param value undecoded
 * @returns ISO 8601 in whole seconds, with the offset of the value, or `+00:00` if it has none. Undefined if it is no date
 */
export function headerDate(value: string): string | undefined {
  const text = withoutComments(value.slice(0, MAX_CHARS)).replace(/\s+/g, ' ').trim();
  for (const form of FORMS) {
    const fields = form.exec(text)?.groups;
    if (fields !== undefined) return isoDate(fields);
  }
  return undefined;
}

/** Comments may stand inside comments. */
function withoutComments(text: string): string {
  const without = text.replace(/\([^()]*\)/g, ' ');
  return without === text ? text : withoutComments(without);
}

function isoDate(fields: Readonly<Record<string, string | undefined>>): string | undefined {
  const { digits, second = '00', sign, zoneH = '00', zoneM = '00', zone = '' } = fields;
  const month =
    digits === undefined ? MONTHS.indexOf((fields.month ?? '').toLowerCase()) : Number(digits) - 1;
  const [day, hour, minute] = [Number(fields.day), hourOfDay(fields), Number(fields.minute)];
  // Most readers of ISO 8601 reject leap seconds.
  const seconds = Math.min(Number(second), 59);
  const instant = new Date(Date.UTC(fullYear(fields.year ?? ''), month, day, hour, minute, seconds));
  const exists =
    month >= 0 &&
    instant.getUTCMonth() === month &&
    instant.getUTCDate() === day &&
    instant.getUTCHours() === hour &&
    minute < 60 &&
    Number(second) <= 60;
  if (!exists || Number(zoneH) > 23 || Number(zoneM) > 59) return undefined;
  const numeric = sign === undefined ? ZONES[zone.toUpperCase()] : `${sign}${zoneH}:${zoneM}`;
  const offset = numeric === undefined || numeric === '-00:00' ? '+00:00' : numeric;
  return `${instant.toISOString().slice(0, 19)}${offset}`;
}

/** NaN if there is no such hour. */
function hourOfDay({ hour, half }: Readonly<Record<string, string | undefined>>): number {
  const given = Number(hour);
  if (half === undefined) return given;
  if (given < 1 || given > 12) return Number.NaN;
  return (given % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

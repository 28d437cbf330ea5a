import { DAY_MS } from './limits.ts';

/** Wall-clock time in an IANA zone, by the zone data of the runtime. */

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** ISO 8601 with the offset that the zone has at that instant, to the second. */
export function isoIn(instant: Date, timezone: string): string {
  const offsetMs = offsetAt(instant, timezone);
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const wall = new Date(instant.getTime() + offsetMs).toISOString().slice(0, 19);
  return `${wall}${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** An instant for a person of the zone: `Sat, 21 Nov 2026, 15:00 CET`. */
export function wordsIn(instant: Date, timezone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timezone,
    timeZoneName: 'short',
  }).format(instant);
}

/** The first instant of the day that is `days` after the one that `instant` lies in. */
export function startOfDay(instant: Date, timezone: string, days: number): Date {
  const wallMs = instant.getTime() + offsetAt(instant, timezone);
  return beginOf(Math.floor(wallMs / DAY_MS) + days, timezone);
}

/** The last second of a day, `YYYY-MM-DD`, as the zone has it. */
export function endOfDay(day: string, timezone: string): Date {
  return new Date(beginOf(Date.parse(day) / DAY_MS + 1, timezone).getTime() - 1000);
}

/** The first instant of a day in the zone. @param day days since 1 January 1970 */
function beginOf(day: number, timezone: string): Date {
  const midnight = day * DAY_MS;
  // Where the clocks change at midnight it exists twice, or not at all: then the day begins behind the gap.
  const before = offsetAt(new Date(midnight - DAY_MS), timezone);
  const behind = offsetAt(new Date(midnight + DAY_MS), timezone);
  const candidates = [midnight - before, midnight - behind].sort((a, b) => a - b);
  const first = candidates.find((at) => at + offsetAt(new Date(at), timezone) === midnight);
  return new Date(first ?? midnight - before);
}

/** Milliseconds that the zone is ahead of UTC at an instant. */
function offsetAt(instant: Date, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
  if (match === null) throw new Error(`the offset ${name} of a time zone cannot be read`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}

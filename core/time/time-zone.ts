import { DAY_MS, MINUTE_MS } from './durations.ts';
import { ianaZone } from './iana-zone.ts';
import { offsetText } from './offset-text.ts';

/** Wall-clock time in an IANA zone, from the runtime's zone data. */

export function isTimeZone(name: string): boolean {
  // No name has other characters. Some of these become ASCII in lower case, and so the name of a zone.
  if (!/^[!-~]+$/.test(name)) return false;
  try {
    ianaZone(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** ISO 8601 to the second, with the zone's offset at that instant. */
export function isoIn(instant: Date, timezone: string): string {
  const offsetMs = offsetAt(instant, timezone);
  const wall = new Date(instant.getTime() + offsetMs).toISOString().slice(0, 19);
  return `${wall}${offsetText(offsetMs)}`;
}

/** The first instant of the day that is `days` after the day of `instant`. */
export function startOfDay(instant: Date, timezone: string, days: number): Date {
  const wallMs = instant.getTime() + offsetAt(instant, timezone);
  return dayStart(Math.floor(wallMs / DAY_MS) + days, timezone);
}

/** When something that is due on a day (`YYYY-MM-DD`) is due: in its last second. ISO 8601 with an offset. */
export function dueAt(dueOn: string | null, timezone: string): string | null {
  return dueOn === null ? null : isoIn(endOfDay(dueOn, timezone), timezone);
}

/** The last second of a day `YYYY-MM-DD` in the zone. */
export function endOfDay(day: string, timezone: string): Date {
  return new Date(dayStart(Date.parse(day) / DAY_MS + 1, timezone).getTime() - 1000);
}

/** A day `YYYY-MM-DD` in the zone: its first instant, and the first one after it. */
export function dayIn(day: string, timezone: string): { readonly from: Date; readonly until: Date } {
  const days = Date.parse(day) / DAY_MS;
  return { from: dayStart(days, timezone), until: dayStart(days + 1, timezone) };
}

/** The first instant of a day in the zone. @param day  days since 1 January 1970 */
function dayStart(day: number, timezone: string): Date {
  const midnight = day * DAY_MS;
  // If the clocks change at midnight, midnight exists twice or not at all. In a gap, the day starts after it.
  const before = offsetAt(new Date(midnight - DAY_MS), timezone);
  const after = offsetAt(new Date(midnight + DAY_MS), timezone);
  const candidates = [midnight - before, midnight - after].sort((a, b) => a - b);
  const first = candidates.find((at) => at + offsetAt(new Date(at), timezone) === midnight);
  return new Date(first ?? midnight - before);
}

/** The minute of the day on a clock in the zone: 0 to 1439. */
export function minuteOfDay(instant: Date, timezone: string): number {
  const wallMs = instant.getTime() + offsetAt(instant, timezone);
  return Math.floor((((wallMs % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
}

/** How many milliseconds the zone is ahead of UTC at an instant. */
function offsetAt(instant: Date, timezone: string): number {
  return ianaZone(timezone).offsetMs(instant.getTime());
}

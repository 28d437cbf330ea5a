import { DAY_MS } from '../time/durations.ts';
/** Days of the Gregorian calendar, counted from 1970-01-01. */

export function dayNumber(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS);
}

/** `month` and `day` from 1. */
export function civilDay(day: number): { year: number; month: number; day: number } {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** 0 = Monday. 1970-01-01 was a Thursday. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/**
 * The day's week number, from 1, and the number of weeks in that week's year. RFC 5545 3.3.10: week 1 has at least
 * four days in the year.
 */
export function weekOfYear(day: number, weekStart: number): { number: number; weeks: number } {
  const { year } = civilDay(day);
  for (const candidate of [year + 1, year, year - 1]) {
    const first = firstWeek(candidate, weekStart);
    if (day < first) continue;
    const weeks = (firstWeek(candidate + 1, weekStart) - first) / 7;
    return { number: Math.floor((day - first) / 7) + 1, weeks };
  }
  throw new Error('a day is in no week');
}

/** The first day of week 1 of the year. */
function firstWeek(year: number, weekStart: number): number {
  const january1 = Date.UTC(year, 0, 1) / DAY_MS;
  const intoWeek = (weekday(january1) - weekStart + 7) % 7;
  return intoWeek <= 3 ? january1 - intoWeek : january1 - intoWeek + 7;
}

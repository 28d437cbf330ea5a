import type ICAL from 'ical.js';
import * as z from 'zod';
import { FREQUENCIES, type RecurrenceRule } from './recurrence-rule.ts';

/** As a rule names them, from Monday on. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A rule from ical.js, without its UNTIL. @throws TypeError if it has no frequency */
export function recurrenceRule(recur: ICAL.Recur): RecurrenceRule {
  const freq = FREQUENCIES.find((frequency) => frequency === recur.freq);
  if (freq === undefined) throw new TypeError('a rule has no frequency');
  const numbers = (part: string) => partNumbers.parse(recur.getComponent(part));
  return {
    freq,
    interval: recur.interval,
    count: recur.count ?? undefined,
    // ical.js counts from Sunday = 1.
    weekStart: (recur.wkst + 5) % 7,
    bySecond: numbers('BYSECOND'),
    byMinute: numbers('BYMINUTE'),
    byHour: numbers('BYHOUR'),
    byDay: partTexts.parse(recur.getComponent('BYDAY')).map((text) => ({
      nth: Number(text.slice(0, -2) || '0'),
      weekday: WEEKDAYS.indexOf(text.slice(-2)),
    })),
    byMonthDay: numbers('BYMONTHDAY'),
    byYearDay: numbers('BYYEARDAY'),
    byWeekNo: numbers('BYWEEKNO'),
    byMonth: numbers('BYMONTH'),
    bySetPos: numbers('BYSETPOS'),
  };
}

const partNumbers = z.array(z.int());
const partTexts = z.array(z.string());

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import { civilDay, dayNumber, daysInMonth, weekday, weekOfYear } from './civil-day.ts';

/**
 * RFC 5545 3.3.10: the times of a recurrence rule, as wall-clock time: milliseconds since 1970 as if the wall clock
 * showed UTC. Does not deal with zones.
 *
 * Every search is limited. It starts at the requested range, not at the start of the rule. It skips days and hours
 * that cannot match, and counts (COUNT) within a budget.
 */
export interface RecurrenceRule {
  readonly freq: Frequency;
  /** At least 1. */
  readonly interval: number;
  readonly count: number | undefined;
  /** The first day of a week, 0 = Monday. */
  readonly weekStart: number;
  readonly bySecond: readonly number[];
  readonly byMinute: readonly number[];
  readonly byHour: readonly number[];
  /** `nth` 0: every one. */
  readonly byDay: readonly { readonly nth: number; readonly weekday: number }[];
  readonly byMonthDay: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
}

export const FREQUENCIES = [
  'YEARLY',
  'MONTHLY',
  'WEEKLY',
  'DAILY',
  'HOURLY',
  'MINUTELY',
  'SECONDLY',
] as const;
type Frequency = (typeof FREQUENCIES)[number];

/** Remaining steps. A step examines a period, a day or a time; a few million take a second. */
export interface WorkBudget {
  left: number;
}

/** The budget was used up before the range was reached. */
export class TooMuchWork extends Error {}

export interface WallRange {
  /** Both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
}

const SECOND_MS = 1000;
const LAST_YEAR = 9999;

/**
 * The times of the rule in a range, ascending.
 * @param startMs DTSTART. Included only if the rule matches it.
 * @throws TooMuchWork
 */
export function* occurrences(
  rule: RecurrenceRule,
  startMs: number,
  range: WallRange,
  budget: WorkBudget,
): Generator<number> {
  const fromMs = Math.max(range.fromMs, startMs);
  const counted = rule.count;
  const skipped = counted === undefined ? 0 : skippedSteps(rule, startMs, fromMs);
  const enterMs = counted === undefined || skipped > 0 ? fromMs : startMs;
  let seen = skipped;
  for (const atMs of periodTimes(rule, startMs, enterMs, range.toMs, budget)) {
    if (atMs < startMs) continue;
    if (counted !== undefined) {
      if (seen >= counted) return;
      if (atMs >= enterMs) seen += 1;
    }
    if (atMs > range.toMs) return;
    if (atMs >= fromMs) yield atMs;
  }
}

/** The number of times before `fromMs`, if it can be computed without examining them. */
function skippedSteps(rule: RecurrenceRule, startMs: number, fromMs: number): number {
  const stepMs = fixedStepMs(rule);
  return stepMs === undefined || hasParts(rule) ? 0 : Math.ceil((fromMs - startMs) / stepMs);
}

function fixedStepMs({ freq, interval }: RecurrenceRule): number | undefined {
  const unitMs: Partial<Record<Frequency, number>> = {
    WEEKLY: 7 * DAY_MS,
    DAILY: DAY_MS,
    HOURLY: HOUR_MS,
    MINUTELY: MINUTE_MS,
    SECONDLY: SECOND_MS,
  };
  const unit = unitMs[freq];
  return unit === undefined ? undefined : unit * interval;
}

function hasParts(rule: RecurrenceRule): boolean {
  const { bySecond, byMinute, byHour, byDay, byMonthDay, byYearDay, byWeekNo, byMonth, bySetPos } = rule;
  const parts = [bySecond, byMinute, byHour, byDay, byMonthDay, byYearDay, byWeekNo, byMonth, bySetPos];
  return parts.some((part) => part.length > 0);
}

/** The times of every period, from the one that contains `enterMs`, ascending. Includes times before `enterMs`. */
function periodTimes(
  rule: RecurrenceRule,
  startMs: number,
  enterMs: number,
  toMs: number,
  budget: WorkBudget,
): Generator<number> {
  switch (rule.freq) {
    case 'YEARLY':
    case 'MONTHLY':
    case 'WEEKLY':
    case 'DAILY':
      return timesOfDays(rule, startMs, enterMs, toMs, budget);
    default:
      return timesWithinDays(rule, startMs, enterMs, toMs, budget);
  }
}

function spend(budget: WorkBudget, steps = 1): void {
  budget.left -= steps;
  if (budget.left < 0) throw new TooMuchWork('a recurrence rule takes too long to follow');
}

/** FREQ of a day or more: each period is a set of days, each with the same times of day. */
function* timesOfDays(
  rule: RecurrenceRule,
  startMs: number,
  enterMs: number,
  toMs: number,
  budget: WorkBudget,
): Generator<number> {
  const startDay = dayNumber(startMs);
  const dayTimes = timesOfDay(rule, startMs - startDay * DAY_MS);
  const filter = dayFilter(withDefaults(rule, startDay));
  /** Finding its positions costs a period as much as examining some days. */
  const periodSteps = 1 + Math.ceil(rule.bySetPos.length / 10);
  const enterDay = dayNumber(enterMs);
  for (const period of periods(rule, startDay, enterDay, dayNumber(toMs))) {
    spend(budget, periodSteps);
    const days = daysOf(period, filter, budget);
    const total = days.length * dayTimes.length;
    for (const index of positions(rule.bySetPos, total)) {
      spend(budget);
      const day = days[Math.floor(index / dayTimes.length)] ?? 0;
      yield day * DAY_MS + dayTimes.at(index % dayTimes.length);
    }
  }
}

interface TimesOfDay {
  readonly length: number;
  at(index: number): number;
}

/** BYHOUR x BYMINUTE x BYSECOND, ascending. There may be 86,400, so they are computed on demand. */
function timesOfDay(rule: RecurrenceRule, startTimeMs: number): TimesOfDay {
  const start = new Date(startTimeMs);
  const hours = orDefault(ascending(rule.byHour, 23), rule.byHour, start.getUTCHours());
  const minutes = orDefault(ascending(rule.byMinute, 59), rule.byMinute, start.getUTCMinutes());
  const seconds = orDefault(ascending(rule.bySecond, 59), rule.bySecond, start.getUTCSeconds());
  const inHour = minutes.length * seconds.length;
  return {
    length: hours.length * inHour,
    at(index) {
      const hour = hours[Math.floor(index / inHour)] ?? 0;
      const minute = minutes[Math.floor((index % inHour) / seconds.length)] ?? 0;
      return hour * HOUR_MS + minute * MINUTE_MS + (seconds[index % seconds.length] ?? 0) * SECOND_MS;
    },
  };
}

function orDefault(values: number[], part: readonly number[], start: number): number[] {
  return part.length === 0 ? [start] : values;
}

/** Drops a leap second (60): no clock here shows it. */
function ascending(values: readonly number[], most: number): number[] {
  return [...new Set(values)].filter((value) => value >= 0 && value <= most).sort((a, b) => a - b);
}

/** Days, both inclusive. */
interface Period {
  readonly first: number;
  readonly last: number;
}

function* periods(
  { freq, interval, weekStart }: RecurrenceRule,
  startDay: number,
  enterDay: number,
  toDay: number,
): Generator<Period> {
  const start = civilDay(startDay);
  const enter = civilDay(enterDay);
  if (freq === 'YEARLY' || freq === 'MONTHLY') {
    const months = freq === 'YEARLY' ? 12 : 1;
    const first = freq === 'YEARLY' ? start.year * 12 : start.year * 12 + start.month - 1;
    const enterAt = freq === 'YEARLY' ? enter.year * 12 : enter.year * 12 + enter.month - 1;
    const step = months * interval;
    for (let at = first + Math.floor((enterAt - first) / step) * step; ; at += step) {
      const year = Math.floor(at / 12);
      if (year > LAST_YEAR) return;
      const firstDay = Date.UTC(year, at % 12, 1) / DAY_MS;
      if (firstDay > toDay) return;
      yield { first: firstDay, last: Date.UTC(year, (at % 12) + months, 0) / DAY_MS };
    }
  }
  const length = freq === 'WEEKLY' ? 7 : 1;
  const first = freq === 'WEEKLY' ? startDay - ((weekday(startDay) - weekStart + 7) % 7) : startDay;
  const step = length * interval;
  const last = Math.min(toDay, Date.UTC(LAST_YEAR, 11, 31) / DAY_MS);
  for (let at = first + Math.floor((enterDay - first) / step) * step; at <= last; at += step) {
    yield { first: at, last: at + length - 1 };
  }
}

/** A rule without a part for days uses the day of DTSTART. */
function withDefaults(rule: RecurrenceRule, startDay: number): RecurrenceRule {
  const { byDay, byMonthDay, byYearDay, byWeekNo, byMonth, freq } = rule;
  const ofStart = [{ nth: 0, weekday: weekday(startDay) }];
  if (byDay.length + byMonthDay.length + byYearDay.length > 0) return rule;
  if (byWeekNo.length > 0) return { ...rule, byDay: ofStart };
  const { month, day } = civilDay(startDay);
  if (freq === 'YEARLY')
    return { ...rule, byMonth: byMonth.length > 0 ? byMonth : [month], byMonthDay: [day] };
  if (freq === 'MONTHLY') return { ...rule, byMonthDay: [day] };
  if (freq === 'WEEKLY') return { ...rule, byDay: ofStart };
  return rule;
}

/** The parts of a rule for days, as sets, so that the cost per day does not depend on their length. */
interface DayFilter {
  readonly byMonth: ReadonlySet<number>;
  readonly byMonthDay: ReadonlySet<number>;
  readonly byYearDay: ReadonlySet<number>;
  readonly byWeekNo: ReadonlySet<number>;
  /** Per weekday: the values of `nth`. */
  readonly byDay: ReadonlyMap<number, ReadonlySet<number>>;
  readonly weekStart: number;
  readonly freq: Frequency;
}

function dayFilter({ byDay, weekStart, freq, ...rule }: RecurrenceRule): DayFilter {
  const weekdays = new Map<number, Set<number>>();
  for (const { nth, weekday: named } of byDay) {
    weekdays.set(named, (weekdays.get(named) ?? new Set()).add(nth));
  }
  return {
    byMonth: new Set(rule.byMonth),
    byMonthDay: new Set(rule.byMonthDay),
    byYearDay: new Set(rule.byYearDay),
    byWeekNo: new Set(rule.byWeekNo),
    byDay: weekdays,
    weekStart,
    freq,
  };
}

function daysOf({ first, last }: Period, filter: DayFilter, budget: WorkBudget): number[] {
  const days: number[] = [];
  for (let day = first; day <= last; day += 1) {
    if (filter.byMonth.size > 0) {
      const { month, day: dayOfMonth, year } = civilDay(day);
      if (!filter.byMonth.has(month)) {
        day += daysInMonth(year, month) - dayOfMonth;
        continue;
      }
    }
    spend(budget);
    if (isNamed(day, filter)) days.push(day);
  }
  return days;
}

/** Whether all parts of the rule for days match this day. */
function isNamed(day: number, filter: DayFilter): boolean {
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay } = filter;
  const date = civilDay(day);
  const fromEnd = (value: number, length: number) => value - length - 1;
  if (byMonth.size > 0 && !byMonth.has(date.month)) return false;
  if (byMonthDay.size > 0) {
    const behind = fromEnd(date.day, daysInMonth(date.year, date.month));
    if (!byMonthDay.has(date.day) && !byMonthDay.has(behind)) return false;
  }
  if (byYearDay.size > 0) {
    const first = Date.UTC(date.year, 0, 1) / DAY_MS;
    const length = Date.UTC(date.year + 1, 0, 1) / DAY_MS - first;
    const ofYear = day - first + 1;
    if (!byYearDay.has(ofYear) && !byYearDay.has(fromEnd(ofYear, length))) return false;
  }
  if (byWeekNo.size > 0) {
    const { number, weeks } = weekOfYear(day, filter.weekStart);
    if (!byWeekNo.has(number) && !byWeekNo.has(fromEnd(number, weeks))) return false;
  }
  return byDay.size === 0 || isNamedWeekday(day, filter);
}

function isNamedWeekday(day: number, { byDay, byMonth, freq }: DayFilter): boolean {
  const named = byDay.get(weekday(day));
  if (named === undefined) return false;
  // `nth` only has a meaning within a month or a year.
  if (named.has(0) || (freq !== 'YEARLY' && freq !== 'MONTHLY')) return true;
  const { year, month } = civilDay(day);
  const wholeYear = freq === 'YEARLY' && byMonth.size === 0;
  const first = Date.UTC(year, wholeYear ? 0 : month - 1, 1) / DAY_MS;
  const behind = Date.UTC(wholeYear ? year + 1 : year, wholeYear ? 0 : month, 1) / DAY_MS;
  const nth = Math.floor((day - first) / 7) + 1;
  const nthFromEnd = -(Math.floor((behind - 1 - day) / 7) + 1);
  return named.has(nth) || named.has(nthFromEnd);
}

/** The indices that BYSETPOS keeps, ascending. */
function* positions(bySetPos: readonly number[], total: number): Generator<number> {
  if (bySetPos.length === 0) {
    for (let index = 0; index < total; index += 1) yield index;
    return;
  }
  const indices = bySetPos.map((position) => (position > 0 ? position - 1 : total + position));
  yield* ascending(indices, total - 1);
}

/** FREQ below a day: each period is an hour, a minute or a second. */
function* timesWithinDays(
  rule: RecurrenceRule,
  startMs: number,
  enterMs: number,
  toMs: number,
  budget: WorkBudget,
): Generator<number> {
  const periodMs = rule.freq === 'HOURLY' ? HOUR_MS : rule.freq === 'MINUTELY' ? MINUTE_MS : SECOND_MS;
  const firstMs = Math.floor(startMs / periodMs) * periodMs;
  const stepMs = periodMs * rule.interval;
  /** The first period that starts at or after that time. */
  const periodFrom = (atMs: number) => firstMs + Math.ceil((atMs - firstMs) / stepMs) * stepMs;
  const all = offsetsInPeriod(rule, startMs);
  const offsets = [...positions(rule.bySetPos, all.length)].map((index) => all[index] ?? 0);
  if (offsets.length === 0) return;
  const filter = dayFilter(rule);
  let atMs = firstMs + Math.floor((enterMs - firstMs) / stepMs) * stepMs;
  while (atMs <= toMs) {
    spend(budget);
    const barredMs = barredUntil(rule, filter, atMs);
    if (barredMs !== undefined) {
      atMs = periodFrom(barredMs);
      continue;
    }
    for (const offsetMs of offsets) {
      spend(budget);
      yield atMs + offsetMs;
    }
    atMs += stepMs;
  }
}

/** If a part of the rule excludes this time: the end of the excluded day, hour, minute or seconds. */
function barredUntil(rule: RecurrenceRule, filter: DayFilter, atMs: number): number | undefined {
  const day = dayNumber(atMs);
  if (!isNamed(day, filter)) return (day + 1) * DAY_MS;
  const endOf = (unitMs: number) => (Math.floor(atMs / unitMs) + 1) * unitMs;
  const at = new Date(atMs);
  if (bars(rule.byHour, at.getUTCHours())) return endOf(HOUR_MS);
  if (rule.freq === 'HOURLY') return undefined;
  if (bars(rule.byMinute, at.getUTCMinutes())) return endOf(MINUTE_MS);
  if (rule.freq === 'MINUTELY') return undefined;
  const second = at.getUTCSeconds();
  if (!bars(rule.bySecond, second)) return undefined;
  const next = rule.bySecond.reduce((next, named) => (named > second ? Math.min(next, named) : next), 60);
  return atMs + (next - second) * SECOND_MS;
}

function bars(part: readonly number[], value: number): boolean {
  return part.length > 0 && !part.includes(value);
}

/** Milliseconds from the start of a period. */
function offsetsInPeriod(rule: RecurrenceRule, startMs: number): number[] {
  const start = new Date(startMs);
  const seconds = orDefault(ascending(rule.bySecond, 59), rule.bySecond, start.getUTCSeconds());
  if (rule.freq === 'SECONDLY') return [0];
  if (rule.freq === 'MINUTELY') return seconds.map((second) => second * SECOND_MS);
  const minutes = orDefault(ascending(rule.byMinute, 59), rule.byMinute, start.getUTCMinutes());
  return minutes.flatMap((minute) => seconds.map((second) => minute * MINUTE_MS + second * SECOND_MS));
}

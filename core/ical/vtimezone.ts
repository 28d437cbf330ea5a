import ICAL from 'ical.js';
import { DAY_MS } from '../time/durations.ts';
import type { Zone } from '../time/iana-zone.ts';
import { BeyondBounds } from './broken-object.ts';
import {
  occurrences,
  type RecurrenceRule,
  TooMuchWork,
  type WallRange,
  type WorkBudget,
} from './recurrence-rule.ts';
import { recurrenceRule } from './rule-parts.ts';

/** The offset of a clock from an instant on. */
interface Onset {
  /** UTC. */
  readonly atMs: number;
  readonly offsetMs: number;
}

/** STANDARD or DAYLIGHT (RFC 5545 3.6.5). */
interface Observance {
  /** Wall-clock time of the first onset, by the offset before it. */
  readonly startMs: number;
  readonly beforeMs: number;
  readonly offsetMs: number;
  /** Onsets listed one by one, including DTSTART; wall-clock time. */
  readonly dates: readonly number[];
  readonly rule: RecurrenceRule | undefined;
  /** UTC; the end of the rule. */
  readonly untilMs: number;
}

/** Clocks change twice a year. One that changes more often than this is not followed further. */
const MOST_ONSETS = 500;
const YEAR_MS = 366 * DAY_MS;

/**
 * The zone that a VTIMEZONE describes. Undefined if it describes none that can be followed.
 * @param budget spent by `offsetMs`, which throws BrokenObject when it is used up
 */
export function zoneOf(component: ICAL.Component, budget: WorkBudget): Zone | undefined {
  const observances = component
    .getAllSubcomponents()
    .filter(({ name }) => name === 'standard' || name === 'daylight')
    .map(observance);
  const known = observances.filter((each) => each !== undefined);
  const earliest = known.toSorted((a, b) => a.startMs - b.startMs)[0];
  if (earliest === undefined || known.length < observances.length) return undefined;
  const named = sorted(
    known.flatMap(({ dates, beforeMs, offsetMs }) => onsets(dates, { beforeMs, offsetMs })),
  );
  spend(budget, observances.length + named.length);
  const ruled = known.flatMap(({ rule, ...each }) =>
    rule === undefined ? [] : [onsetsOf({ ...each, rule })],
  );
  const years = new Map<number, readonly Onset[]>();
  return {
    offsetMs(instantMs) {
      const year = Math.floor(instantMs / YEAR_MS);
      let ofYear = years.get(year);
      if (ofYear === undefined) {
        spend(budget, 1 + ruled.length);
        ofYear = sorted(ruled.flatMap((until) => until((year + 1) * YEAR_MS, budget)));
        years.set(year, ofYear);
      }
      const [byDate, byRule] = [lastUntil(named, instantMs), lastUntil(ofYear, instantMs)];
      const last =
        (byDate?.atMs ?? Number.NEGATIVE_INFINITY) > (byRule?.atMs ?? Number.NEGATIVE_INFINITY)
          ? byDate
          : byRule;
      return last?.offsetMs ?? earliest.beforeMs;
    },
  };
}

function spend(budget: WorkBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new BeyondBounds('a zone takes too long to follow');
}

function onsets(
  wallTimes: readonly number[],
  { beforeMs, offsetMs }: Pick<Observance, 'beforeMs' | 'offsetMs'>,
): Onset[] {
  return wallTimes.map((wallMs) => ({ atMs: wallMs - beforeMs, offsetMs }));
}

function sorted(list: readonly Onset[]): Onset[] {
  return list.toSorted((a, b) => a.atMs - b.atMs);
}

/** The last onset that is not later. @param list ascending */
function lastUntil(list: readonly Onset[], instantMs: number): Onset | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.atMs ?? 0) <= instantMs) low = middle + 1;
    else high = middle;
  }
  return list[low - 1];
}

/** The onsets of a rule in the last years before a time, or before it ended. The latter are computed once. */
function onsetsOf(observance: Observance & { readonly rule: RecurrenceRule }) {
  const { rule, startMs, untilMs, beforeMs } = observance;
  let ended: Onset[] | undefined;
  return (endMs: number, budget: WorkBudget): readonly Onset[] => {
    if (endMs < untilMs) return until(endMs, budget);
    ended ??= until(untilMs, budget);
    return ended;
  };

  function until(atMs: number, budget: WorkBudget): Onset[] {
    const toMs = atMs + beforeMs;
    return onsets(firstOf(rule, startMs, { fromMs: toMs - 3 * YEAR_MS, toMs }, budget), observance);
  }
}

function firstOf(rule: RecurrenceRule, startMs: number, range: WallRange, budget: WorkBudget): number[] {
  const times: number[] = [];
  try {
    for (const at of occurrences(rule, startMs, range, budget)) {
      if (times.push(at) >= MOST_ONSETS) break;
    }
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    throw new BeyondBounds('a zone takes too long to follow', { cause: error });
  }
  return times;
}

function observance(component: ICAL.Component): Observance | undefined {
  const start = component.getFirstPropertyValue('dtstart');
  const from = component.getFirstPropertyValue('tzoffsetfrom');
  const to = component.getFirstPropertyValue('tzoffsetto');
  if (!(start instanceof ICAL.Time)) return undefined;
  if (!(from instanceof ICAL.UtcOffset && to instanceof ICAL.UtcOffset)) return undefined;
  const startMs = wallTimeOf(start);
  const beforeMs = from.toSeconds() * 1000;
  const offsetMs = to.toSeconds() * 1000;
  const timeOfDayMs = ((startMs % DAY_MS) + DAY_MS) % DAY_MS;
  const isUtc = (time: ICAL.Time) => time.zone === ICAL.Timezone.utcTimezone;
  const dates = component
    .getAllProperties('rdate')
    .flatMap((property): unknown[] => property.getValues())
    .filter((value) => value instanceof ICAL.Time)
    .map((time) => wallTimeOf(time) + (time.isDate ? timeOfDayMs : isUtc(time) ? beforeMs : 0));
  const recur = component.getFirstPropertyValue('rrule');
  const rule = recur instanceof ICAL.Recur ? recurrenceRule(recur) : undefined;
  const until = recur instanceof ICAL.Recur ? recur.until : null;
  const untilMs = until ? wallTimeOf(until) - (isUtc(until) ? 0 : beforeMs) : Number.POSITIVE_INFINITY;
  // No clock is a day ahead, and dates have valid years.
  const known = [startMs, beforeMs, offsetMs, ...dates].every(Number.isFinite) && !Number.isNaN(untilMs);
  if (!known || Math.max(Math.abs(beforeMs), Math.abs(offsetMs)) >= DAY_MS) return undefined;
  return { startMs, beforeMs, offsetMs, dates: [startMs, ...dates], rule, untilMs };
}

function wallTimeOf(time: ICAL.Time): number {
  return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
}

import { DAY_MS } from '../../time/durations.ts';
import type { EventPart, Moment, Span } from './object.ts';
import { recurrenceIdOf } from './recurrence-id.ts';
import { occurrences, TooMuchWork, type WorkBudget } from './recurrence-rule.ts';
import { instantOf, wallTime, type Zone } from './zone.ts';

/** To set out on a rule. */
const RULE_STEPS = 200;
/** No two clocks are further apart. */
export const ZONES_APART_MS = 26 * 3_600_000;

/** An instance before it is known what was changed about it. */
export interface Instance {
  readonly id: string;
  readonly start: Moment;
  readonly span: Span;
}

/** How the times of one series are read. */
export interface SeriesClock {
  /** The owner's zone is that of times that float. */
  instant(moment: Moment): number;
  /** A time that names an instance, as the series itself would write it. */
  inSeries(moment: Moment): Moment;
}

/** @param own  DTSTART of the series; undefined if the object has only changed instances of it */
export function seriesClock(own: Moment | undefined, owner: Zone): SeriesClock {
  const instant = ({ wallMs, zone }: Moment) => instantOf(wallMs, zone ?? owner);
  return {
    instant,
    inSeries(moment) {
      if (own === undefined || own.kind === moment.kind) return moment;
      if (own.kind === 'date') return { ...own, wallMs: dayOf(moment.wallMs) };
      if (moment.kind === 'date') return { ...own, wallMs: moment.wallMs + timeOfDay(own.wallMs) };
      if (own.kind === 'zoned') return { ...own, wallMs: moment.wallMs };
      return { ...own, wallMs: wallTime(instant(moment), owner) };
    },
  };
}

/** What EXDATE takes out of a series. */
export interface Exclusions {
  readonly ids: ReadonlySet<string>;
  /** An EXDATE of a whole day excludes what begins on it. */
  readonly days: ReadonlySet<number>;
}

export function exclusionsOf(master: EventPart | undefined, { inSeries }: SeriesClock): Exclusions {
  const excluded = master?.excluded ?? [];
  return {
    ids: new Set(excluded.map((moment) => recurrenceIdOf(inSeries(moment)))),
    days: new Set(excluded.filter(({ kind }) => kind === 'date').map(({ wallMs }) => wallMs)),
  };
}

/** A range of time on the clock of a series. */
export interface WallWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The instances that were to begin in a window, in no order. @throws TooMuchWork */
export function* instancesOf(
  master: EventPart,
  clock: SeriesClock,
  excluded: Exclusions,
  window: WallWindow,
  budget: WorkBudget,
): Generator<Instance> {
  const seen = new Set<string>();
  for (const one of candidates(master, clock, window, budget)) {
    const id = recurrenceIdOf(one.start);
    if (seen.has(id) || excluded.ids.has(id) || excluded.days.has(dayOf(one.start.wallMs))) continue;
    seen.add(id);
    yield { id, ...one };
  }
}

/** What RDATE, DTSTART and the rules name; one instance may come several times. */
function* candidates(
  { start, span, added, rules }: EventPart,
  clock: SeriesClock,
  { fromMs, toMs }: WallWindow,
  budget: WorkBudget,
): Generator<Omit<Instance, 'id'>> {
  const inRange = (wallMs: number, apartMs = 0) => wallMs >= fromMs - apartMs && wallMs <= toMs + apartMs;
  for (const one of added) {
    const moment = clock.inSeries(one.start);
    // It may have been written in another zone.
    if (inRange(moment.wallMs, ZONES_APART_MS)) yield { start: moment, span: one.span ?? span };
  }
  // DTSTART counts as the first, whether the rule names it or not (RFC 5545 3.8.5.3).
  if (inRange(start.wallMs)) yield { start, span };
  for (const { rule, until } of rules) {
    const { count } = rule;
    budget.left -= RULE_STEPS;
    if (budget.left < 0) throw new TooMuchWork('a series has too many rules');
    const atStart = { fromMs: start.wallMs, toMs: start.wallMs };
    const named =
      count !== undefined && occurrences(rule, start.wallMs, atStart, budget).next().done === false;
    const rest = count === undefined || named ? rule : { ...rule, count: count - 1 };
    for (const wallMs of occurrences(rest, start.wallMs, { fromMs, toMs }, budget)) {
      const moment = { ...start, wallMs };
      if (until !== undefined && isBehind(moment, until, clock)) break;
      yield { start: moment, span };
    }
  }
}

function isBehind(moment: Moment, until: Moment, { instant }: SeriesClock): boolean {
  // A day includes all of its times.
  if (until.kind === 'date') return moment.wallMs >= until.wallMs + DAY_MS;
  if (moment.kind !== 'zoned' || until.kind !== 'zoned') return moment.wallMs > until.wallMs;
  return instant(moment) > instant(until);
}

/** The day of a time, as the time at which it begins. */
export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function timeOfDay(wallMs: number): number {
  return ((wallMs % DAY_MS) + DAY_MS) % DAY_MS;
}

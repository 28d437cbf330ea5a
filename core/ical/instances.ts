import { DAY_MS } from '../time/durations.ts';
import type { Zone } from '../time/iana-zone.ts';
import { dayOf, instantOf, wallTime } from '../time/wall-time.ts';
import type { EventPart, Moment, SeriesRule, Span } from './object.ts';
import { recurrenceIdOf } from './recurrence-id.ts';
import { occurrences, TooMuchWork, type WorkBudget } from './recurrence-rule.ts';

/** Steps to start a rule. */
const RULE_STEPS = 200;
/** The largest difference between two clocks. */
export const ZONES_APART_MS = 26 * 3_600_000;

/** An instance before its changes are applied. */
export interface Instance {
  /** Tells it from the other instances of its series: see `placeOf`. */
  readonly place: number;
  readonly start: Moment;
  readonly span: Span;
}

/** The context for reading the times of one series. */
export interface SeriesClock {
  /** The owner's zone applies to floating times. */
  instant(moment: Moment): number;
  /** The time of an instance, in the style of the series. */
  inSeries(moment: Moment): Moment;
}

/** @param own  DTSTART of the series; undefined if the object only has changed instances of it */
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

/** The instances that EXDATE removes from a series. */
export interface Exclusions {
  readonly ids: ReadonlySet<string>;
  /** The same instances, as `placeOf` them. */
  readonly places: ReadonlySet<number>;
  /** An all-day EXDATE removes instances that start on that day. */
  readonly days: ReadonlySet<number>;
}

export function exclusionsOf(master: EventPart | undefined, { inSeries }: SeriesClock): Exclusions {
  const excluded = master?.excluded ?? [];
  const moments = excluded.map(inSeries);
  return {
    ids: new Set(moments.map(recurrenceIdOf)),
    places: new Set(moments.map(placeOf)),
    days: new Set(excluded.filter(({ kind }) => kind === 'date').map(({ wallMs }) => wallMs)),
  };
}

/** A range of time on the clock of a series. */
export interface WallWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The instances scheduled to start in a window, unordered. @throws TooMuchWork */
export function* instancesOf(
  master: EventPart,
  clock: SeriesClock,
  excluded: Exclusions,
  window: WallWindow,
  budget: WorkBudget,
): Generator<Instance> {
  const seen = new Set<number>();
  const excepted = new Set<number>();
  for (const rule of master.exceptions) {
    for (const { wallMs } of timesOf(rule, master.start, clock, window, budget)) excepted.add(wallMs);
  }
  for (const one of candidates(master, clock, window, budget)) {
    const place = placeOf(one.start);
    if (seen.has(place) || excluded.places.has(place) || excluded.days.has(dayOf(one.start.wallMs))) continue;
    if (excepted.has(one.start.wallMs)) continue;
    seen.add(place);
    yield { place, ...one };
  }
}

/**
 * Tells apart the instances of one series as their ids do, and costs less: a rule may name a hundred thousand times.
 * `placeOfId` reads it from an id.
 */
function placeOf({ wallMs, zone }: Moment): number {
  return zone === undefined ? wallMs : instantOf(wallMs, zone);
}

/** The times of RDATE, DTSTART and the rules. An instance may appear several times. */
function* candidates(
  { start, span, added, rules }: EventPart,
  clock: SeriesClock,
  { fromMs, toMs }: WallWindow,
  budget: WorkBudget,
): Generator<Omit<Instance, 'place'>> {
  const inRange = (wallMs: number, apartMs = 0) => wallMs >= fromMs - apartMs && wallMs <= toMs + apartMs;
  for (const one of added) {
    const moment = clock.inSeries(one.start);
    // It may be written in a different zone.
    if (inRange(moment.wallMs, ZONES_APART_MS)) yield { start: moment, span: one.span ?? span };
  }
  // DTSTART counts as the first, whether or not the rule matches it (RFC 5545 3.8.5.3).
  if (inRange(start.wallMs)) yield { start, span };
  for (const { rule, until } of rules) {
    const { count } = rule;
    const atStart = { fromMs: start.wallMs, toMs: start.wallMs };
    const named =
      count !== undefined && occurrences(rule, start.wallMs, atStart, budget).next().done === false;
    const rest = count === undefined || named ? rule : { ...rule, count: count - 1 };
    for (const moment of timesOf({ rule: rest, until }, start, clock, { fromMs, toMs }, budget)) {
      yield { start: moment, span };
    }
  }
}

/** The times of a rule in a window. */
function* timesOf(
  { rule, until }: SeriesRule,
  start: Moment,
  clock: SeriesClock,
  window: WallWindow,
  budget: WorkBudget,
): Generator<Moment> {
  budget.left -= RULE_STEPS;
  if (budget.left < 0) throw new TooMuchWork('a series has too many rules');
  for (const wallMs of occurrences(rule, start.wallMs, window, budget)) {
    const moment = { ...start, wallMs };
    if (until !== undefined && isBehind(moment, until, clock)) break;
    yield moment;
  }
}

function isBehind(moment: Moment, until: Moment, { instant }: SeriesClock): boolean {
  // A day includes all of its times.
  if (until.kind === 'date') return moment.wallMs >= until.wallMs + DAY_MS;
  if (moment.kind !== 'zoned' || until.kind !== 'zoned') return moment.wallMs > until.wallMs;
  return instant(moment) > instant(until);
}

function timeOfDay(wallMs: number): number {
  return ((wallMs % DAY_MS) + DAY_MS) % DAY_MS;
}

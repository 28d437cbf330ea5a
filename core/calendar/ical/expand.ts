import { DAY_MS } from '../../time/durations.ts';
import type { CalendarEvent, RangeQuery } from '../event.ts';
import type { KeyInDocument } from '../event-document.ts';
import {
  BrokenObject,
  type EventPart,
  type Moment,
  type ReadingBounds,
  readObject,
  type Span,
  USUAL_BOUNDS,
} from './object.ts';
import { occurrences, TooMuchWork, type WorkBudget } from './recurrence-rule.ts';
import { ianaZone, instantOf, wallTime, type Zone } from './zone.ts';

/** Instances of one series that are shown in one range. */
const MOST_INSTANCES = 5000;
/** Periods and times of a series that are looked at to find them, an instance counting for several: some 100 ms. */
export const SERIES_STEPS = 200_000;
const INSTANCE_STEPS = 10;
/** To set out on a rule. */
const RULE_STEPS = 200;
/** RANGE=THISANDFUTURE within one series. */
const MOST_CHANGES = 500;
/** No two clocks are further apart. */
const ZONES_APART_MS = 26 * 3_600_000;
/** No clock is put forward or back by more. */
const CLOCK_CHANGE_MS = 3 * 3_600_000;

export type ExpandedEvent = Omit<CalendarEvent, 'calendar'>;

export interface Expansion {
  readonly events: readonly ExpandedEvent[];
  /** A series has more instances in the range than are shown, or could not be followed to its end. */
  readonly cut: boolean;
  /** Nothing that the object says itself lies near the range: its events were found by following a series. */
  readonly isFollowed: boolean;
}

/**
 * The events of a calendar object (RFC 5545) that touch the time from `from` to `to`: recurring ones expanded,
 * changed instances as they were changed, cancelled ones with that status. An event that lasts no time touches the
 * instant that it is at. Bounded work, whatever the object says: see MOST_INSTANCES.
 *
 * A name that the runtime knows, or a Windows name, means that zone, whatever the object says of it. A VTIMEZONE serves
 * names that nobody knows; without one the time floats.
 * @param budget  what many objects together may cost; spent by what this one costs
 * @throws BrokenObject  for the caller to leave this object out, say so in its log, and show the others
 */
export function expandObject(
  ics: string,
  { from, to, timezone }: RangeQuery,
  budget: WorkBudget = { left: SERIES_STEPS },
  bounds: ReadingBounds = USUAL_BOUNDS,
): Expansion {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  const parts = readObject(ics, bounds);
  const events: ExpandedEvent[] = [];
  let cut = false;
  for (const series of seriesOf(parts, timezone)) {
    const found = series.touching(fromMs, toMs, budget);
    for (const event of found.events) events.push(event);
    cut ||= found.cut;
  }
  return {
    events: events.sort((a, b) => a.start.getTime() - b.start.getTime()),
    cut,
    isFollowed: events.length > 0 && parts.every((part) => isFarFrom(part, fromMs, toMs, timezone)),
  };
}

function isFarFrom({ start, span }: EventPart, fromMs: number, toMs: number, timezone: string): boolean {
  const startMs = instantOf(start.wallMs, start.zone ?? ianaZone(timezone));
  const endMs = startMs + span.days * DAY_MS + span.exactMs;
  return startMs > toMs + 2 * ZONES_APART_MS || endMs < fromMs - 2 * ZONES_APART_MS;
}

/**
 * One event of an object, or one instance of its series, by the `recurrenceId` of its key; null: the event itself, of
 * a series its first part. Undefined: the object has none like it (any more).
 * @param parts as `readObject` reads the object
 * @throws BrokenObject
 */
export function eventAmong(
  parts: readonly EventPart[],
  key: KeyInDocument,
  timezone: string,
): ExpandedEvent | undefined {
  const same = parts.filter(({ uid }) => uid === key.uid);
  for (const series of seriesOf(same, timezone)) {
    const event = key.recurrenceId === null ? series.first() : series.instance(key.recurrenceId);
    if (event !== undefined) return event;
  }
  return undefined;
}

/** A RECURRENCE-ID as the `recurrenceId` of an EventKey. */
export function recurrenceIdOf({ kind, wallMs, zone }: Moment): string {
  const text = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');
  if (kind === 'date') return text(wallMs).slice(0, 8);
  return zone === undefined ? text(wallMs) : `${text(instantOf(wallMs, zone))}Z`;
}

interface Series {
  touching(fromMs: number, toMs: number, shared: WorkBudget): { events: ExpandedEvent[]; cut: boolean };
  first(): ExpandedEvent;
  instance(recurrenceId: string): ExpandedEvent | undefined;
}

function seriesOf(parts: readonly EventPart[], timezone: string): Series[] {
  const uids = new Map<string, EventPart[]>();
  for (const part of parts) {
    const same = uids.get(part.uid);
    if (same === undefined) uids.set(part.uid, [part]);
    else same.push(part);
  }
  return [...uids.values()].map((ofUid) => series(ofUid, timezone));
}

/** An instance before it is known what was changed about it. */
interface Instance {
  readonly id: string;
  readonly start: Moment;
  readonly span: Span;
}

function series(parts: readonly EventPart[], timezone: string): Series {
  const owner = ianaZone(timezone);
  const master = parts.find(({ recurrenceId }) => recurrenceId === undefined);
  const overrides = new Map(
    parts.flatMap((part) =>
      part.recurrenceId ? [[recurrenceIdOf(inSeries(part.recurrenceId)), part] as const] : [],
    ),
  );
  const excluded = new Set(master?.excluded.map((moment) => recurrenceIdOf(inSeries(moment))));
  // An EXDATE of a whole day excludes what begins on it.
  const excludedDays = new Set(
    master?.excluded.filter(({ kind }) => kind === 'date').map(({ wallMs }) => wallMs),
  );
  const future = [...overrides.values()]
    .flatMap((part) => (part.andFuture && part.recurrenceId ? [changeFrom(part, part.recurrenceId)] : []))
    .sort((a, b) => b.fromMs - a.fromMs);
  if (future.length > MOST_CHANGES) throw new BrokenObject('a series is changed too often');
  const recurring = master === undefined || master.rules.length + master.added.length > 0;

  function instant({ wallMs, zone }: Moment): number {
    return instantOf(wallMs, zone ?? owner);
  }

  /** A time that names an instance, as the series itself would write it. */
  function inSeries(moment: Moment): Moment {
    const own = master?.start;
    if (own === undefined || own.kind === moment.kind) return moment;
    if (own.kind === 'date') return { ...own, wallMs: Math.floor(moment.wallMs / DAY_MS) * DAY_MS };
    if (moment.kind === 'date') return { ...own, wallMs: moment.wallMs + timeOfDay(own.wallMs) };
    if (own.kind === 'zoned') return { ...own, wallMs: moment.wallMs };
    return { ...own, wallMs: wallTime(instant(moment), owner) };
  }

  function event(part: EventPart, id: string | null, start: Moment, span: Span): ExpandedEvent {
    const startMs = instant(start);
    const endMs = instantOf(start.wallMs + span.days * DAY_MS, start.zone ?? owner) + span.exactMs;
    const { uid, title, status } = part;
    const leftOut = [...new Set([...part.leftOut, ...(master?.leftOut ?? [])])];
    return {
      uid,
      recurrenceId: id,
      title,
      start: new Date(startMs),
      end: new Date(Math.max(startMs, endMs)),
      allDay: start.kind === 'date',
      status,
      recurring,
      leftOut,
    };
  }

  function overridden(id: string, part: EventPart): ExpandedEvent {
    return event(part, id, part.start, part.span);
  }

  function asChanged(whole: EventPart, { id, start, span }: Instance): ExpandedEvent {
    const own = overrides.get(id);
    if (own !== undefined) return overridden(id, own);
    const startMs = instant(start);
    const change = future.find(({ fromMs }) => fromMs <= startMs);
    if (change === undefined) return event(whole, id, start, span);
    const { part } = change;
    const zone = part.start.zone ?? owner;
    const wallMs = wallTime(startMs, zone) + change.shiftMs;
    const moved = part.start.kind === 'date' ? Math.floor(wallMs / DAY_MS) * DAY_MS : wallMs;
    return event(part, id, { ...part.start, wallMs: moved }, part.span);
  }

  /** A change of all instances from one on: from when, and how much later by the clock they begin. */
  function changeFrom(part: EventPart, from: Moment) {
    const fromMs = instant(from);
    return { part, fromMs, shiftMs: part.start.wallMs - wallTime(fromMs, part.start.zone ?? owner) };
  }

  /** The instances that were to begin in a range, by the clock of the series, in no order. @throws TooMuchWork */
  function* instances(
    whole: EventPart,
    fromMs: number,
    toMs: number,
    budget: WorkBudget,
  ): Generator<Instance> {
    const seen = new Set<string>();
    const { start, span } = whole;
    for (const one of candidates()) {
      const id = recurrenceIdOf(one.start);
      const day = Math.floor(one.start.wallMs / DAY_MS) * DAY_MS;
      if (seen.has(id) || excluded.has(id) || excludedDays.has(day)) continue;
      seen.add(id);
      yield { id, ...one };
    }

    function* candidates() {
      const inRange = (wallMs: number, apartMs = 0) => wallMs >= fromMs - apartMs && wallMs <= toMs + apartMs;
      for (const added of whole.added) {
        const moment = inSeries(added.start);
        // It may have been written in another zone.
        if (inRange(moment.wallMs, ZONES_APART_MS)) yield { start: moment, span: added.span ?? span };
      }
      // DTSTART counts as the first, whether the rule names it or not (RFC 5545 3.8.5.3).
      if (inRange(start.wallMs)) yield { start, span };
      for (const { rule, until } of whole.rules) {
        const { count } = rule;
        budget.left -= RULE_STEPS;
        if (budget.left < 0) throw new TooMuchWork('a series has too many rules');
        const atStart = { fromMs: start.wallMs, toMs: start.wallMs };
        const named =
          count !== undefined && occurrences(rule, start.wallMs, atStart, budget).next().done === false;
        const rest = count === undefined || named ? rule : { ...rule, count: count - 1 };
        for (const wallMs of occurrences(rest, start.wallMs, { fromMs, toMs }, budget)) {
          const moment = { ...start, wallMs };
          if (until !== undefined && isBehind(moment, until)) break;
          yield { start: moment, span };
        }
      }
    }
  }

  function isBehind(moment: Moment, until: Moment): boolean {
    // A day includes all of its times.
    if (until.kind === 'date') return moment.wallMs >= until.wallMs + DAY_MS;
    if (moment.kind !== 'zoned' || until.kind !== 'zoned') return moment.wallMs > until.wallMs;
    return instant(moment) > instant(until);
  }

  return {
    touching(fromMs, toMs, shared) {
      const found = new Map<string | null, ExpandedEvent>();
      const take = (one: ExpandedEvent) => {
        if (touches(one, fromMs, toMs)) found.set(one.recurrenceId, one);
      };
      let cut = false;
      for (const [id, part] of overrides) {
        if (!excluded.has(id)) take(overridden(id, part));
      }
      if (master !== undefined && !recurring) {
        take(event(master, null, master.start, master.span));
      } else if (master !== undefined) {
        const spans = [
          master.span,
          ...master.added.map(({ span }) => span),
          ...future.map(({ part }) => part.span),
        ];
        const longestMs = largest(spans.map((span) => (span ? span.days * DAY_MS + span.exactMs : 0)));
        const latestMs = largest(future.map(({ shiftMs }) => shiftMs));
        const earliestMs = -largest(future.map(({ shiftMs }) => -shiftMs));
        const clock = master.start.zone ?? owner;
        const beginMs = wallTime(fromMs - longestMs - latestMs, clock) - CLOCK_CHANGE_MS;
        const endMs = wallTime(toMs - earliestMs, clock) + CLOCK_CHANGE_MS;
        const allowed = Math.min(SERIES_STEPS, Math.max(0, shared.left));
        const budget = { left: allowed };
        try {
          for (const instance of instances(master, beginMs, endMs, budget)) {
            budget.left -= INSTANCE_STEPS;
            take(asChanged(master, instance));
            if (found.size < MOST_INSTANCES) continue;
            cut = true;
            break;
          }
        } catch (error) {
          if (!(error instanceof TooMuchWork)) throw error;
          cut = true;
        }
        shared.left -= allowed - budget.left;
      }
      return { events: [...found.values()], cut };
    },

    first() {
      const [part] = master === undefined ? parts : [master];
      if (part === undefined) throw new BrokenObject('a series without a part');
      const id = part.recurrenceId === undefined ? null : recurrenceIdOf(part.recurrenceId);
      return event(part, id, part.start, part.span);
    },

    instance(recurrenceId) {
      const own = overrides.get(recurrenceId);
      if (own !== undefined) return excluded.has(recurrenceId) ? undefined : overridden(recurrenceId, own);
      const wallMs = wallOfId(recurrenceId, master?.start.zone ?? owner);
      if (master === undefined || !recurring || wallMs === undefined) return undefined;
      try {
        const near = instances(master, wallMs - DAY_MS, wallMs + DAY_MS, { left: SERIES_STEPS });
        for (const one of near) if (one.id === recurrenceId) return asChanged(master, one);
      } catch (error) {
        // Such an instance was never shown either.
        if (!(error instanceof TooMuchWork)) throw error;
      }
      return undefined;
    },
  };
}

/** 0 where none is larger. A list of a stranger may have more members than a call can have arguments. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function touches({ start, end }: ExpandedEvent, fromMs: number, toMs: number): boolean {
  const startMs = start.getTime();
  const endMs = end.getTime();
  return startMs < toMs && (endMs > fromMs || (endMs === startMs && startMs === fromMs));
}

function timeOfDay(wallMs: number): number {
  return ((wallMs % DAY_MS) + DAY_MS) % DAY_MS;
}

function wallOfId(id: string, zone: Zone): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(id);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((text) => Number(text ?? 0));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return match[7] === undefined ? ms : wallTime(ms, zone);
}

import type { ExpandedEvent } from '../calendar/event.ts';
import { DAY_MS } from '../time/durations.ts';
import { ianaZone, type Zone } from '../time/iana-zone.ts';
import { dayOf, instantOf, wallTime } from '../time/wall-time.ts';
import {
  exclusionsOf,
  type Instance,
  instancesOf,
  type SeriesClock,
  seriesClock,
  type WallWindow,
} from './instances.ts';
import { BrokenObject, compareRevisions, type EventPart, type Moment, type Span } from './object.ts';
import { placeOfId, recurrenceIdOf } from './recurrence-id.ts';
import { TooMuchWork, type WorkBudget } from './recurrence-rule.ts';

/** The most instances of one series in one range. */
const MOST_INSTANCES = 5000;
/** Steps for one series: periods and times examined. An instance counts for several. About 100 ms. */
export const SERIES_STEPS = 200_000;
const INSTANCE_STEPS = 10;
/** The most RANGE=THISANDFUTURE changes in one series. */
const MOST_CHANGES = 500;
/** No clock change is larger. */
const CLOCK_CHANGE_MS = 3 * 3_600_000;

/** The events of one UID: one event, or the instances of a series. */
export interface Series {
  /** @returns `cut`: whether there are more instances than were found */
  touching(fromMs: number, toMs: number, shared: WorkBudget): { events: ExpandedEvent[]; cut: boolean };
  first(): ExpandedEvent;
  instance(recurrenceId: string): ExpandedEvent | undefined;
}

/**
 * Several events of one UID that are not overrides are all shown, so that none hides another.
 * @throws BrokenObject
 */
export function seriesOf(parts: readonly EventPart[], timezone: string): Series[] {
  const uids = new Map<string, EventPart[]>();
  for (const part of parts) {
    const same = uids.get(part.uid);
    if (same === undefined) uids.set(part.uid, [part]);
    else same.push(part);
  }
  return [...uids.values()].flatMap((ofUid) => {
    const [first, ...others] = ofUid.filter(isMaster);
    const main = ofUid.filter((part) => part === first || !isMaster(part));
    return [main, ...others.map((other) => [other])].map((each) => series(each, ianaZone(timezone)));
  });
}

function isMaster({ recurrenceId }: EventPart): boolean {
  return recurrenceId === undefined;
}

function series(parts: readonly EventPart[], owner: Zone): Series {
  const master = parts.find(isMaster);
  const recurring = master === undefined || master.rules.length + master.added.length > 0;
  const clock = seriesClock(master?.start, owner);
  const excluded = exclusionsOf(master, clock);
  // Of several for one instance, the newest counts.
  const overrides = new Map(
    parts
      .toSorted(compareRevisions)
      .flatMap((part) =>
        part.recurrenceId ? [[recurrenceIdOf(clock.inSeries(part.recurrenceId)), part] as const] : [],
      ),
  );
  const changes = changesOf([...overrides.values()], clock, owner);

  function event(part: EventPart, id: string | null, start: Moment, span: Span): ExpandedEvent {
    const startMs = clock.instant(start);
    const endMs = instantOf(start.wallMs + span.days * DAY_MS, start.zone ?? owner) + span.exactMs;
    const { uid, title, organizer, status } = part;
    const leftOut = [...new Set([...part.leftOut, ...(master?.leftOut ?? [])])];
    return {
      uid,
      recurrenceId: id,
      title,
      organizer,
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

  function asChanged(whole: EventPart, { start, span }: Instance): ExpandedEvent {
    const id = recurrenceIdOf(start);
    const own = overrides.get(id);
    if (own !== undefined) return overridden(id, own);
    const startMs = clock.instant(start);
    const change = changes.find(({ fromMs }) => fromMs <= startMs);
    if (change === undefined) return event(whole, id, start, span);
    const { part } = change;
    const wallMs = wallTime(startMs, part.start.zone ?? owner) + change.shiftMs;
    const moved = part.start.kind === 'date' ? dayOf(wallMs) : wallMs;
    return event(part, id, { ...part.start, wallMs: moved }, part.span);
  }

  /** Calls `take` with each instance until it returns false. @returns whether any may be left */
  function follow(
    whole: EventPart,
    window: WallWindow,
    budget: WorkBudget,
    take: (instance: ExpandedEvent) => boolean,
  ): boolean {
    try {
      for (const instance of instancesOf(whole, clock, excluded, window, budget)) {
        budget.left -= INSTANCE_STEPS;
        if (!take(asChanged(whole, instance))) return true;
      }
      return false;
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return true;
    }
  }

  return {
    touching(fromMs, toMs, shared) {
      const found = new Map<string | null, ExpandedEvent>();
      const take = (one: ExpandedEvent) => {
        if (touches(one, fromMs, toMs)) found.set(one.recurrenceId, one);
        return found.size < MOST_INSTANCES;
      };
      for (const [id, part] of overrides) {
        if (!excluded.ids.has(id)) take(overridden(id, part));
      }
      if (master !== undefined && !recurring) take(event(master, null, master.start, master.span));
      if (master === undefined || !recurring) return { events: [...found.values()], cut: false };
      const allowed = Math.min(SERIES_STEPS, Math.max(0, shared.left));
      const budget = { left: allowed };
      const window = windowOf(master, changes, { fromMs, toMs }, owner);
      const cut = follow(master, window, budget, take);
      shared.left -= allowed - budget.left;
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
      if (own !== undefined)
        return excluded.ids.has(recurrenceId) ? undefined : overridden(recurrenceId, own);
      const place = placeOfId(recurrenceId);
      if (master === undefined || !recurring || place === undefined) return undefined;
      const { zone } = master.start;
      const wallMs = zone === undefined ? place : wallTime(place, zone);
      // A time that the clock skips is shown as a later one.
      const near = { fromMs: wallMs - CLOCK_CHANGE_MS, toMs: wallMs };
      try {
        const budget = { left: SERIES_STEPS };
        for (const one of instancesOf(master, clock, excluded, near, budget)) {
          if (one.place !== place || recurrenceIdOf(one.start) !== recurrenceId) continue;
          return asChanged(master, one);
        }
      } catch (error) {
        // An instance that takes too much work to find was never shown.
        if (!(error instanceof TooMuchWork)) throw error;
      }
      return undefined;
    },
  };
}

/** RANGE=THISANDFUTURE: a change of all instances from one on. */
interface Change {
  readonly part: EventPart;
  readonly fromMs: number;
  /** How much later they start, by the clock. */
  readonly shiftMs: number;
}

/** Newest first. @throws BrokenObject */
function changesOf(parts: readonly EventPart[], clock: SeriesClock, owner: Zone): readonly Change[] {
  const changes = parts.flatMap((part) => {
    if (!part.andFuture || !part.recurrenceId) return [];
    const fromMs = clock.instant(part.recurrenceId);
    return [{ part, fromMs, shiftMs: part.start.wallMs - wallTime(fromMs, part.start.zone ?? owner) }];
  });
  if (changes.length > MOST_CHANGES) throw new BrokenObject('a series is changed too often');
  return changes.sort((a, b) => b.fromMs - a.fromMs);
}

/** The earliest and latest scheduled start of an instance that overlaps the range, by the clock of the series. */
function windowOf(
  master: EventPart,
  changes: readonly Change[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  owner: Zone,
): WallWindow {
  const spans = [
    master.span,
    ...master.added.map(({ span }) => span),
    ...changes.map(({ part }) => part.span),
  ];
  const longestMs = largest(spans.map((span) => (span ? span.days * DAY_MS + span.exactMs : 0)));
  const latestMs = largest(changes.map(({ shiftMs }) => shiftMs));
  const earliestMs = -largest(changes.map(({ shiftMs }) => -shiftMs));
  const zone = master.start.zone ?? owner;
  return {
    fromMs: wallTime(fromMs - longestMs - latestMs, zone) - CLOCK_CHANGE_MS,
    toMs: wallTime(toMs - earliestMs, zone) + CLOCK_CHANGE_MS,
  };
}

/** 0 if none is larger. An untrusted list may have more members than a call can have arguments. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function touches({ start, end }: ExpandedEvent, fromMs: number, toMs: number): boolean {
  const startMs = start.getTime();
  const endMs = end.getTime();
  return startMs < toMs && (endMs > fromMs || (endMs === startMs && startMs === fromMs));
}

import { DAY_MS } from '../../time/durations.ts';
import type { RangeQuery } from '../event.ts';
import type { KeyInDocument } from '../event-document.ts';
import { ZONES_APART_MS } from './instances.ts';
import { type EventPart, type ReadingBounds, readObject, USUAL_BOUNDS } from './object.ts';
import type { WorkBudget } from './recurrence-rule.ts';
import { type ExpandedEvent, SERIES_STEPS, seriesOf } from './series.ts';
import { ianaZone, instantOf } from './zone.ts';

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
 * instant that it is at. Bounded work, whatever the object says: see series.ts.
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

import type { ExpandedEvent, Expansion, RangeQuery } from '../calendar/event.ts';
import type { KeyInDocument } from '../calendar/event-document.ts';
import { DAY_MS } from '../time/durations.ts';
import { ianaZone } from '../time/iana-zone.ts';
import { instantOf } from '../time/wall-time.ts';
import { ZONES_APART_MS } from './instances.ts';
import { type EventPart, readObject } from './object.ts';
import type { WorkBudget } from './recurrence-rule.ts';
import { SERIES_STEPS, seriesOf } from './series.ts';

/**
 * The events of a calendar object (RFC 5545) that overlap the range from `from` to `to`. Series are expanded, changed
 * instances have their changes, and cancelled ones that status. An event without a duration overlaps its own instant.
 * The work is limited for any object: see series.ts.
 *
 * A zone name that the runtime knows, or a Windows name, means that zone, whatever the object says about it. A
 * VTIMEZONE only serves unknown names. Without one the time is floating.
 * @param budget  the budget of many objects together; this one uses part of it
 * @throws BrokenObject  the caller leaves this object out, logs it, and shows the others
 */
export function expandObject(
  ics: string,
  { from, to, timezone }: RangeQuery,
  budget: WorkBudget = { left: SERIES_STEPS },
): Expansion {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  const parts = readObject(ics);
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
 * One event of an object, or one instance of its series, by the `recurrenceId` of its key. Null: the event itself; for
 * a series, its first part. Undefined: the object does not contain it (any more).
 * @param parts the result of `readObject`
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

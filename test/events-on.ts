import { inlineReader } from '../adapters/reader/inline-reader.ts';
import { objectCalendar } from '../core/accounts/object-calendar.ts';
import type { Calendar } from '../core/ports/calendar.ts';
import type { CalendarObjects } from '../core/ports/calendar-objects.ts';
import type { Log } from '../core/ports/log.ts';
import type { Reader } from '../core/ports/reader.ts';

/** Returns the events of a store of iCalendar objects, as core sees them. Default reader: this process. */
export function eventsOn(
  objects: CalendarObjects,
  {
    reader = inlineReader(),
    log = { info() {}, warn() {}, error() {} },
  }: { reader?: Reader; log?: Log } = {},
): Calendar {
  const clock = { now: () => new Date(), every: () => () => {}, after: () => () => {} };
  return objectCalendar(objects, { reader, clock, log });
}

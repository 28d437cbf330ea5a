import ICAL from 'ical.js';
import * as z from 'zod';
import { DAY_MS } from '../limits.ts';
import { BrokenObject } from './broken-object.ts';
import { refuseBeyondBounds } from './object-bounds.ts';
import type { RecurrenceRule, WorkBudget } from './recurrence-rule.ts';
import { recurrenceRule } from './rule-parts.ts';
import { zoneOf } from './vtimezone.ts';
import { instantOf, UTC, type Zone, zoneNamed } from './zone.ts';

export { BrokenObject };

/** A time as it is written. `zone` undefined: floating, or a whole day; it is then read in the zone of the reader. */
export interface Moment {
  readonly kind: 'date' | 'floating' | 'zoned';
  readonly wallMs: number;
  readonly zone: Zone | undefined;
}

/** Days as on a calendar, and then exact milliseconds: a day may have 23 hours. */
export interface Span {
  readonly days: number;
  readonly exactMs: number;
}

/** One VEVENT. */
export interface EventPart {
  /** As ical.js reads it. */
  readonly component: ICAL.Component;
  readonly uid: string;
  readonly title: string;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly start: Moment;
  readonly span: Span;
  readonly recurrenceId: Moment | undefined;
  /** RANGE=THISANDFUTURE. */
  readonly andFuture: boolean;
  readonly rules: readonly SeriesRule[];
  readonly added: readonly AddedDate[];
  readonly excluded: readonly Moment[];
}

interface SeriesRule {
  readonly rule: RecurrenceRule;
  readonly until: Moment | undefined;
}

interface AddedDate {
  readonly start: Moment;
  /** Undefined: as long as the event itself. */
  readonly span: Span | undefined;
}

/** Every instance of a series carries its UID along. */
const UID_CHARS_MAX = 4096;

/** No calendar means a year before it, and ical.js shows what it cannot read as the year 0. */
const FIRST_YEAR = 100;

/** How much work one object may cost. */
export interface ReadingBounds {
  /** Following the zones that it describes. A zone with a long history costs 5000 steps. */
  readonly zoneSteps: number;
  /** Times, and names of zones. */
  readonly times: number;
  readonly zones: number;
}

/** Following zones takes some 50 ms at most. */
export const USUAL_BOUNDS: ReadingBounds = { zoneSteps: 50_000, times: 20_000, zones: 100 };

/**
 * The events of one calendar object.
 * @throws BrokenObject, as do the zones of their times if they take too long to follow
 */
export function readObject(ics: string, bounds: ReadingBounds = USUAL_BOUNDS): EventPart[] {
  return reading(ics, ({ events, zones }) => {
    const clocks = clocksOf(zones, bounds);
    return events.map((event) => eventPart(event, clocks));
  });
}

interface Components {
  readonly events: ICAL.Component[];
  readonly zones: readonly ICAL.Component[];
}

function reading<T>(ics: string, read: (components: Components) => T): T {
  refuseBeyondBounds(ics);
  try {
    const [name, , components] = jCal.parse(ICAL.parse(ics));
    if (name !== 'vcalendar') throw new BrokenObject('this is no VCALENDAR');
    // Each without its calendar: for every time, ical.js would search the whole calendar for its zone.
    const named = (wanted: string) =>
      components.filter(([each]) => each === wanted).map((each) => new ICAL.Component(each));
    return read({ events: named('vevent'), zones: named('vtimezone') });
  } catch (error) {
    if (error instanceof BrokenObject) throw error;
    // ical.js throws plain errors, and type errors, at what it cannot read.
    throw new BrokenObject('a calendar object cannot be read', { cause: error });
  }
}

/** RFC 7265. What ical.js parsed is checked only as far as it tells a single component from several. */
const jCalComponent = z.tuple([z.string(), z.array(z.unknown()), z.array(z.unknown())]);
const jCal = z.tuple([z.string(), z.array(z.unknown()), z.array(jCalComponent)]);

/** Counts a time that is read, and gives the zone that a TZID names. */
interface Clocks {
  count(): void;
  zone(tzid: string): Zone | undefined;
}

function clocksOf(components: readonly ICAL.Component[], bounds: ReadingBounds): Clocks {
  if (components.length > bounds.zones) throw new BrokenObject('a calendar object has too many zones');
  const budget: WorkBudget = { left: bounds.zoneSteps };
  const own = new Map<unknown, ICAL.Component>();
  for (const component of components) {
    const tzid: unknown = component.getFirstPropertyValue('tzid');
    if (!own.has(tzid)) own.set(tzid, component);
  }
  const zones = new Map<string, Zone | undefined>();
  let times = 0;
  return {
    count() {
      times += 1;
      if (times > bounds.times) throw new BrokenObject('a calendar object has too many times');
    },
    zone(tzid) {
      if (!zones.has(tzid)) {
        if (zones.size >= bounds.zones) throw new BrokenObject('a calendar object names too many zones');
        const component = own.get(tzid);
        zones.set(tzid, (component && zoneOf(component, budget)) ?? zoneNamed(tzid));
      }
      return zones.get(tzid);
    },
  };
}

function eventPart(event: ICAL.Component, clocks: Clocks): EventPart {
  const starts = momentsOf(event, 'dtstart', clocks);
  const start = starts[0];
  if (start === undefined) throw new BrokenObject('an event has no DTSTART');
  const recurrenceId = event.getFirstProperty('recurrence-id');
  const status = textOf(event, 'status').toUpperCase();
  const uid = textOf(event, 'uid');
  if (uid === '') throw new BrokenObject('an event has no UID');
  if (uid.length > UID_CHARS_MAX) throw new BrokenObject('the UID of an event is too long');
  return {
    component: event,
    uid,
    title: textOf(event, 'summary'),
    status: status === 'CANCELLED' ? 'cancelled' : status === 'TENTATIVE' ? 'tentative' : 'confirmed',
    start,
    span: spanOf(event, start, clocks),
    recurrenceId: recurrenceId === null ? undefined : moment(recurrenceId, clocks),
    andFuture: recurrenceId?.getFirstParameter('range')?.toUpperCase() === 'THISANDFUTURE',
    rules: event.getAllProperties('rrule').map((property) => seriesRule(property, start, clocks)),
    added: event.getAllProperties('rdate').flatMap((property) => addedDates(property, clocks)),
    excluded: momentsOf(event, 'exdate', clocks),
  };
}

function textOf(event: ICAL.Component, name: string): string {
  const value = event.getFirstPropertyValue(name);
  return typeof value === 'string' ? value : '';
}

function momentsOf(event: ICAL.Component, name: string, clocks: Clocks): Moment[] {
  return event
    .getAllProperties(name)
    .flatMap((property) => property.getValues().map((value: unknown) => momentFrom(value, property, clocks)));
}

function moment(property: ICAL.Property, clocks: Clocks): Moment {
  return momentFrom(property.getFirstValue(), property, clocks);
}

function momentFrom(value: unknown, property: ICAL.Property, clocks: Clocks): Moment {
  clocks.count();
  if (!(value instanceof ICAL.Time)) throw new BrokenObject(`${property.name} is no time`);
  const { year, month, day, hour, minute, second, isDate } = value;
  if (!(year >= FIRST_YEAR)) throw new BrokenObject(`${property.name} is no time`);
  const wallMs = isDate
    ? Date.UTC(year, month - 1, day)
    : Date.UTC(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(wallMs)) throw new BrokenObject(`${property.name} is no time`);
  if (isDate) return { kind: 'date', wallMs, zone: undefined };
  if (value.zone === ICAL.Timezone.utcTimezone) return { kind: 'zoned', wallMs, zone: UTC };
  const tzid = property.getFirstParameter('tzid');
  const zone = tzid ? clocks.zone(tzid) : undefined;
  return zone === undefined ? { kind: 'floating', wallMs, zone } : { kind: 'zoned', wallMs, zone };
}

const NO_TIME: Span = { days: 0, exactMs: 0 };
const LONGEST_MS = 100 * 366 * DAY_MS;

/** RFC 5545 3.6.1: without DTEND and DURATION a day lasts a day, and a time no time. */
function spanOf(event: ICAL.Component, start: Moment, clocks: Clocks): Span {
  const end = event.getFirstProperty('dtend');
  const duration = event.getFirstPropertyValue('duration');
  if (end !== null) return bounded(spanUntil(start, moment(end, clocks)));
  if (duration instanceof ICAL.Duration) return bounded(spanFrom(duration, start));
  return start.kind === 'date' ? { days: 1, exactMs: 0 } : NO_TIME;
}

function bounded(span: Span): Span {
  if (span.days * DAY_MS + span.exactMs > LONGEST_MS)
    throw new BrokenObject('an event lasts a hundred years');
  return span;
}

/** What ends before it begins lasts no time. */
function spanUntil(start: Moment, end: Moment): Span {
  if (start.kind === 'date') {
    return { days: Math.max(1, Math.round((end.wallMs - start.wallMs) / DAY_MS)), exactMs: 0 };
  }
  const lengthMs = absolute(end, start) - absolute(start, end);
  return { days: 0, exactMs: Math.max(0, lengthMs) };
}

/** For a difference: where only one of the two has a zone, it is the zone of both. */
function absolute(moment: Moment, other: Moment): number {
  const zone = moment.zone ?? other.zone;
  return zone === undefined ? moment.wallMs : instantOf(moment.wallMs, zone);
}

function spanFrom(duration: ICAL.Duration, start: Moment): Span {
  const { weeks, days, hours, minutes, seconds, isNegative } = duration;
  if (isNegative) return NO_TIME;
  const exactMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const whole = weeks * 7 + days;
  return start.kind === 'date'
    ? { days: Math.max(1, whole + Math.ceil(exactMs / DAY_MS)), exactMs: 0 }
    : { days: whole, exactMs };
}

function addedDates(property: ICAL.Property, clocks: Clocks): AddedDate[] {
  return property.getValues().map((value: unknown) => {
    if (!(value instanceof ICAL.Period))
      return { start: momentFrom(value, property, clocks), span: undefined };
    const start = momentFrom(value.start, property, clocks);
    const { duration, end } = value;
    if (duration !== null) return { start, span: bounded(spanFrom(duration, start)) };
    return { start, span: bounded(spanUntil(start, momentFrom(end, property, clocks))) };
  });
}

function seriesRule(property: ICAL.Property, start: Moment, clocks: Clocks): SeriesRule {
  clocks.count();
  const recur = property.getFirstValue();
  if (!(recur instanceof ICAL.Recur)) throw new BrokenObject('RRULE is no rule');
  const { until } = recur;
  const rule = recurrenceRule(recur);
  return {
    // Of whole days, what a rule says of times is ignored (RFC 5545 3.3.10).
    rule: start.kind === 'date' ? { ...rule, byHour: [], byMinute: [], bySecond: [] } : rule,
    until: until === null || until === undefined ? undefined : momentFrom(until, property, clocks),
  };
}

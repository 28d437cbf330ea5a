import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import * as z from 'zod';
import { DAY_MS } from '../../time/durations.ts';
import type { Zone } from '../../time/iana-zone.ts';
import { LEFT_OUT, type LeftOut, type Participant } from '../event.ts';
import { BeyondBounds, BrokenObject } from './broken-object.ts';
import { withoutMisreadLines } from './misread-lines.ts';
import { refuseBeyondBounds } from './object-bounds.ts';
import { participant } from './participant.ts';
import { readableLines, UNREAD_LINE } from './readable-lines.ts';
import type { RecurrenceRule, WorkBudget } from './recurrence-rule.ts';
import { recurrenceRule } from './rule-parts.ts';
import { zoneOf } from './vtimezone.ts';
import { instantOf, UTC, zoneNamed } from './zone.ts';

export { BrokenObject };

/** A time as written. `zone` undefined: floating or a whole day, read in the reader's zone. */
export interface Moment {
  readonly kind: 'date' | 'floating' | 'zoned';
  readonly wallMs: number;
  readonly zone: Zone | undefined;
  /** The object's own VTIMEZONE for a zone that is known by name. It is only compared: the known zone is used. */
  readonly described: ICAL.Component | undefined;
}

/** Calendar days, then exact milliseconds: a day may have 23 hours. */
export interface Span {
  readonly days: number;
  readonly exactMs: number;
}

/** One VEVENT. */
export interface EventPart {
  /** As ical.js reads it. */
  readonly component: ICAL.Component;
  /** Its index among the VEVENTs of the object. */
  readonly index: number;
  /** What could not be read of it, or of the object. */
  readonly leftOut: readonly LeftOut[];
  readonly uid: string;
  readonly title: string;
  readonly organizer: Participant | null;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly start: Moment;
  readonly span: Span;
  readonly recurrenceId: Moment | undefined;
  /** RANGE=THISANDFUTURE. */
  readonly andFuture: boolean;
  readonly rules: readonly SeriesRule[];
  /** EXRULE (RFC 2445): the instances that match it are left out. */
  readonly exceptions: readonly SeriesRule[];
  readonly added: readonly AddedDate[];
  readonly excluded: readonly Moment[];
}

export interface SeriesRule {
  readonly rule: RecurrenceRule;
  readonly until: Moment | undefined;
}

interface AddedDate {
  readonly start: Moment;
  /** Undefined: as long as the event itself. */
  readonly span: Span | undefined;
}

/** Every instance of a series carries its UID. */
const UID_CHARS_MAX = 4096;

/** No real event is earlier, and ical.js shows unreadable years as 0. */
const FIRST_YEAR = 100;

/** The limits on the work for one object. */
export interface ReadingBounds {
  /** Steps for expanding its own zones. A zone with a long history costs 5000. */
  readonly zoneSteps: number;
  /** Times, and zone names. */
  readonly times: number;
  readonly zones: number;
}

/** Expanding zones takes at most about 50 ms. */
export const USUAL_BOUNDS: ReadingBounds = { zoneSteps: 50_000, times: 20_000, zones: 100 };

/**
 * Reads the events of one calendar object, as far as possible. An event without a readable time is left out, and the
 * others report it. An event without a UID gets one that only this text gives it.
 * @throws BrokenObject if none is left; their zones throw it too if they take too long to expand
 */
export function readObject(ics: string, bounds: ReadingBounds = USUAL_BOUNDS): EventPart[] {
  return reading(ics, ({ events, zones, isCut }) => {
    const clocks = clocksOf(zones, bounds);
    const digest = onlyOnce(() => createHash('sha256').update(ics).digest('hex').slice(0, 32));
    const parts = events.map((event, index) =>
      partOrNone(event, { index, uid: () => `no-uid-${digest()}-${index}` }, clocks),
    );
    const read = parts.filter((part) => part !== undefined);
    if (read.length === 0) throw new BrokenObject('a calendar object has no event that can be read');
    if (read.length === parts.length && !isCut) return read;
    return read.map((part) => ({ ...part, leftOut: [...part.leftOut, 'VEVENT'] }));
  });
}

function onlyOnce(compute: () => string): () => string {
  let found: string | undefined;
  return () => (found ??= compute());
}

interface EventPlace {
  readonly index: number;
  /** For an event without a UID: one that is the same for the same object, and for nothing else. */
  uid(): string;
}

function partOrNone(event: ICAL.Component, place: EventPlace, clocks: Clocks): EventPart | undefined {
  try {
    return eventPart(event, place, clocks);
  } catch (error) {
    if (error instanceof BeyondBounds) throw error;
    // The others report that it is missing.
    return undefined;
  }
}

interface Components {
  readonly events: ICAL.Component[];
  readonly zones: readonly ICAL.Component[];
  /** The object ends before its last line. */
  readonly isCut: boolean;
}

function reading<T>(ics: string, read: (components: Components) => T): T {
  refuseBeyondBounds(ics);
  try {
    const [, properties, components] = parsed(withoutMisreadLines(ics));
    // Each without its calendar: otherwise ical.js searches the whole calendar for the zone of every time.
    const named = (wanted: string) =>
      components.filter(([each]) => each === wanted).map((each) => new ICAL.Component(each));
    const isCut = properties.some(([name, , , value]) => name === UNREAD_LINE && value === 'VEVENT');
    return read({ events: named('vevent'), zones: named('vtimezone'), isCut });
  } catch (error) {
    if (error instanceof BrokenObject) throw error;
    // ical.js throws plain errors and type errors for input that it cannot read.
    throw new BrokenObject('a calendar object cannot be read', { cause: error });
  }
}

/** Line by line only if it cannot be parsed as a whole: that takes twice as long. */
function parsed(ics: string): z.output<typeof jCal> {
  const whole = jCal.safeParse(parsedAsIs(ics));
  return whole.success ? whole.data : jCal.parse(ICAL.parse(readableLines(ics)));
}

/** Undefined if ical.js cannot parse it. */
function parsedAsIs(ics: string): unknown {
  try {
    return ICAL.parse(ics);
  } catch {
    return undefined;
  }
}

/** RFC 7265. The output of ical.js is only checked as far as needed to tell one component from several. */
const jCalComponent = z.tuple([z.string(), z.array(z.unknown()), z.array(z.unknown())]);
const jCalProperty = z.array(z.unknown());
const jCal = z.tuple([z.literal('vcalendar'), z.array(jCalProperty), z.array(jCalComponent)]);

/** Counts the times that are read, and finds the zone of a TZID. */
interface Clocks {
  count(): void;
  zone(tzid: string): NamedZone;
  /** Called for a time in a zone that is unknown. */
  unknownZone(): void;
}

interface NamedZone {
  readonly zone: Zone | undefined;
  readonly described: ICAL.Component | undefined;
}

function clocksOf(components: readonly ICAL.Component[], bounds: ReadingBounds): Clocks {
  if (components.length > bounds.zones) throw new BeyondBounds('a calendar object has too many zones');
  const budget: WorkBudget = { left: bounds.zoneSteps };
  const own = new Map<unknown, ICAL.Component>();
  for (const component of components) {
    const tzid: unknown = component.getFirstPropertyValue('tzid');
    if (!own.has(tzid)) own.set(tzid, component);
  }
  const zones = new Map<string, NamedZone>();
  let times = 0;
  return {
    count() {
      times += 1;
      if (times > bounds.times) throw new BeyondBounds('a calendar object has too many times');
    },
    zone(tzid) {
      const found = zones.get(tzid);
      if (found !== undefined) return found;
      if (zones.size >= bounds.zones) throw new BeyondBounds('a calendar object names too many zones');
      const component = own.get(tzid);
      // Zone rules in an object are often cut short or out of date. They only serve names that are unknown otherwise.
      const known = zoneNamed(tzid);
      const named =
        known === undefined
          ? { zone: component && zoneOf(component, budget), described: undefined }
          : { zone: known, described: component };
      zones.set(tzid, named);
      return named;
    },
    unknownZone() {},
  };
}

/** @throws BrokenObject if the event has no readable time */
function eventPart(event: ICAL.Component, place: EventPlace, object: Clocks): EventPart {
  const leftOut = new Set(unreadLines(event));
  if (leftOut.has('VEVENT')) throw new BrokenObject('an event has no readable time');
  const clocks: Clocks = { ...object, unknownZone: () => leftOut.add('TZID') };
  /** For parts that the event can do without. */
  const orElse = <T>(name: LeftOut, instead: T, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof BeyondBounds) throw error;
      leftOut.add(name);
      return instead;
    }
  };
  const each = <T>(name: LeftOut, read: (property: ICAL.Property) => T): T[] =>
    event
      .getAllProperties(name.toLowerCase())
      .flatMap((property) => orElse<T[]>(name, [], () => [read(property)]));
  const moments = (name: LeftOut) =>
    each(name, (property) =>
      timesOf(property, () => leftOut.add(name)).map((value) => momentFrom(value, property, clocks)),
    ).flat();
  const [dtstart] = event.getAllProperties('dtstart');
  const start = dtstart && firstMoment(dtstart, clocks);
  if (start === undefined) throw new BrokenObject('an event has no DTSTART');
  const recurrenceId = event.getFirstProperty('recurrence-id');
  const [organizer] = event.getAllProperties('organizer');
  const status = textOf(event, 'status').toUpperCase();
  const uid = textOf(event, 'uid');
  if (uid === '') leftOut.add('UID');
  if (uid.length > UID_CHARS_MAX) throw new BrokenObject('the UID of an event is too long');
  return {
    component: event,
    index: place.index,
    uid: uid === '' ? place.uid() : uid,
    title: textOf(event, 'summary'),
    organizer: organizer === undefined ? null : participant(organizer),
    status: status === 'CANCELLED' ? 'cancelled' : status === 'TENTATIVE' ? 'tentative' : 'confirmed',
    start,
    span: orElse('DTEND', shortest(start), () => spanOf(event, start, clocks)),
    recurrenceId: recurrenceId === null ? undefined : firstMoment(recurrenceId, clocks),
    andFuture: recurrenceId?.getFirstParameter('range')?.toUpperCase() === 'THISANDFUTURE',
    rules: each('RRULE', (property) => seriesRule(property, start, clocks)),
    exceptions: each('EXRULE', (property) => seriesRule(property, start, clocks)),
    added: each('RDATE', (property) => addedDates(property, clocks, () => leftOut.add('RDATE'))).flat(),
    excluded: moments('EXDATE'),
    // Last: the set is complete by then.
    leftOut: [...leftOut],
  };
}

/** The properties of the lines that could not be parsed. */
function unreadLines(event: ICAL.Component): LeftOut[] {
  return event.getAllProperties(UNREAD_LINE).map((property) => {
    const name = String(property.getFirstValue());
    if (['DTSTART', 'RECURRENCE-ID'].includes(name)) return 'VEVENT';
    return LEFT_OUT.find((known) => known === name) ?? 'OTHER';
  });
}

/** The first property of this name as text. Empty if there is none, or if its value is not text. */
export function textOf(event: ICAL.Component, name: string): string {
  const value = event.getFirstPropertyValue(name);
  return typeof value === 'string' ? value : '';
}

function firstMoment(property: ICAL.Property, clocks: Clocks): Moment {
  return momentFrom(timesOf(property, () => undefined)[0], property, clocks);
}

/** `2024-01-11T::`: how ical.js parses a date whose line lacks VALUE=DATE. */
const DATE_FORM = /^(\d{4}-\d\d-\d\d)T::$/;

/** The times of a property. Calls `odd` for each value that is not a time. */
function timesOf(property: ICAL.Property, odd: () => void): unknown[] {
  try {
    return property.getValues();
  } catch {
    // One by one, including dates in place of times.
    const [, , , ...values] = z.array(z.unknown()).parse(property.jCal);
    return values.flatMap((value) => {
      const text = String(value);
      const date = DATE_FORM.exec(text)?.[1];
      try {
        return [
          date === undefined ? ICAL.Time.fromDateTimeString(text, property) : ICAL.Time.fromDateString(date),
        ];
      } catch {
        odd();
        return [];
      }
    });
  }
}

function momentFrom(value: unknown, property: ICAL.Property, clocks: Clocks): Moment {
  clocks.count();
  if (!(value instanceof ICAL.Time)) throw new BrokenObject(`${property.name} is not a time`);
  const { year, month, day, hour, minute, second, isDate } = value;
  if (!(year >= FIRST_YEAR)) throw new BrokenObject(`${property.name} is not a time`);
  const wallMs = isDate
    ? Date.UTC(year, month - 1, day)
    : Date.UTC(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(wallMs)) throw new BrokenObject(`${property.name} is not a time`);
  if (isDate) return { kind: 'date', wallMs, ...NO_ZONE };
  if (value.zone === ICAL.Timezone.utcTimezone) {
    return { kind: 'zoned', wallMs, zone: UTC, described: undefined };
  }
  const tzid = property.getFirstParameter('tzid');
  const named = tzid ? clocks.zone(tzid) : NO_ZONE;
  if (tzid && named.zone === undefined) clocks.unknownZone();
  return { kind: named.zone === undefined ? 'floating' : 'zoned', wallMs, ...named };
}

const NO_ZONE: NamedZone = { zone: undefined, described: undefined };
const NO_TIME: Span = { days: 0, exactMs: 0 };
const LONGEST_MS = 100 * 366 * DAY_MS;

/** RFC 5545 3.6.1: without DTEND and DURATION, a whole day lasts a day and a time has no duration. */
function spanOf(event: ICAL.Component, start: Moment, clocks: Clocks): Span {
  const end = event.getFirstProperty('dtend');
  const duration = event.getFirstPropertyValue('duration');
  if (end !== null) return bounded(spanUntil(start, firstMoment(end, clocks)));
  if (duration instanceof ICAL.Duration) return bounded(spanFrom(duration, start));
  return shortest(start);
}

function shortest({ kind }: Moment): Span {
  return kind === 'date' ? { days: 1, exactMs: 0 } : NO_TIME;
}

function bounded(span: Span): Span {
  if (span.days * DAY_MS + span.exactMs > LONGEST_MS)
    throw new BrokenObject('an event lasts a hundred years');
  return span;
}

/** An event that ends before it starts has no duration. */
function spanUntil(start: Moment, end: Moment): Span {
  if (start.kind === 'date') {
    return { days: Math.max(1, Math.round((end.wallMs - start.wallMs) / DAY_MS)), exactMs: 0 };
  }
  const lengthMs = absolute(end, start) - absolute(start, end);
  return { days: 0, exactMs: Math.max(0, lengthMs) };
}

/** For a difference: if only one of the two has a zone, it applies to both. */
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

function addedDates(property: ICAL.Property, clocks: Clocks, odd: () => void): AddedDate[] {
  return timesOf(property, odd).map((value) => {
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
  if (!(recur instanceof ICAL.Recur)) throw new BrokenObject('RRULE is not a rule');
  const { until } = recur;
  const rule = recurrenceRule(recur);
  return {
    // For whole days, the time parts of a rule are ignored (RFC 5545 3.3.10).
    rule: start.kind === 'date' ? { ...rule, byHour: [], byMinute: [], bySecond: [] } : rule,
    until: until === null || until === undefined ? undefined : momentFrom(until, property, clocks),
  };
}

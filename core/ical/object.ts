import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import * as z from 'zod';
import { LEFT_OUT, type LeftOut, type Participant } from '../calendar/event.ts';
import { DAY_MS } from '../time/durations.ts';
import type { Zone } from '../time/iana-zone.ts';
import { dayOf, instantOf, UTC, wallTime } from '../time/wall-time.ts';
import { BeyondBounds, BrokenObject } from './broken-object.ts';
import { correctedLines } from './misread-lines.ts';
import { linesWithinBounds } from './object-bounds.ts';
import { oddLines } from './odd-lines.ts';
import { participant } from './participant.ts';
import { readableLines, UNREAD_LINE } from './readable-lines.ts';
import type { RecurrenceRule, WorkBudget } from './recurrence-rule.ts';
import { recurrenceRule } from './rule-parts.ts';
import { zoneOf } from './vtimezone.ts';
import { isAbbreviation, zoneNamed } from './zone.ts';
import { agreement } from './zone-agreement.ts';

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
  /** Which of several versions of one event is newer: its SEQUENCE, then its DTSTAMP. */
  readonly revision: readonly [sequence: number, stampMs: number];
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

/** Steps for expanding the zones of one object, about 50 ms. A zone with a long history costs 5000. */
export const MAX_ZONE_STEPS = 50_000;
/** Times of one object, and zones that it describes or names. */
const MAX_TIMES = 20_000;
const MAX_ZONES = 100;

/**
 * Reads the events of one calendar object, as far as possible. An event without a readable time is left out, and the
 * others report it. An event without a UID gets one that only this text gives it.
 * @throws BrokenObject if none is left; their zones throw it too if they take too long to expand
 */
export function readObject(ics: string): EventPart[] {
  return reading(ics, ({ events, zones, isCut, odd, zoneOfAll }) => {
    const clocks = clocksOf(zones, zoneOfAll);
    const digest = onlyOnce(() => createHash('sha256').update(ics).digest('hex').slice(0, 32));
    const parts = events.map((event, index) => {
      const uid = () => `no-uid-${digest()}-${index}`;
      return partOrNone(event, { index, uid, odd: odd[index] ?? new Set() }, clocks);
    });
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
  /** Its lines that RFC 5545 does not know. */
  readonly odd: ReadonlySet<LeftOut>;
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
  /** The odd lines of each event. */
  readonly odd: readonly ReadonlySet<LeftOut>[];
  /** X-WR-TIMEZONE: where times without a zone are meant. */
  readonly zoneOfAll: string | undefined;
}

function reading<T>(ics: string, read: (components: Components) => T): T {
  const lines = linesWithinBounds(ics);
  const corrected = correctedLines(lines);
  const odd = oddLines(corrected ?? lines);
  try {
    const [, properties, components] = parsed(corrected?.join('\r\n') ?? ics);
    // Each without its calendar: otherwise ical.js searches the whole calendar for the zone of every time.
    const named = (wanted: string) =>
      components.filter(([each]) => each === wanted).map((each) => new ICAL.Component(each));
    const isCut = properties.some(([name, , , value]) => name === UNREAD_LINE && value === 'VEVENT');
    const [, , , ofAll] = properties.find(([name]) => name === 'x-wr-timezone') ?? [];
    const zoneOfAll = typeof ofAll === 'string' && ofAll !== '' ? ofAll : undefined;
    return read({ events: named('vevent'), zones: named('vtimezone'), isCut, odd, zoneOfAll });
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
  /** The TZID of times that name none. */
  readonly zoneOfAll: string | undefined;
  /** Called for a time whose zone is not certain. */
  uncertain(mark: 'TZID' | 'VTIMEZONE'): void;
}

interface NamedZone {
  readonly zone: Zone | undefined;
  readonly described: ICAL.Component | undefined;
  /** What to mark. Undefined: nothing. */
  uncertainAt(wallMs: number): 'TZID' | 'VTIMEZONE' | undefined;
}

function clocksOf(components: readonly ICAL.Component[], zoneOfAll: string | undefined): Clocks {
  if (components.length > MAX_ZONES) throw new BeyondBounds('a calendar object has too many zones');
  const budget: WorkBudget = { left: MAX_ZONE_STEPS };
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
      if (times > MAX_TIMES) throw new BeyondBounds('a calendar object has too many times');
    },
    zone(tzid) {
      const found = zones.get(tzid);
      if (found !== undefined) return found;
      if (zones.size >= MAX_ZONES) throw new BeyondBounds('a calendar object names too many zones');
      const named = namedZone(tzid, own.get(tzid), budget);
      zones.set(tzid, named);
      return named;
    },
    zoneOfAll,
    uncertain() {},
  };
}

/**
 * The object's own description of a zone decides where the name is unknown, or an abbreviation: these mean different zones
 * in different countries. For other names it is often cut short or out of date, so it is only compared.
 */
function namedZone(tzid: string, component: ICAL.Component | undefined, budget: WorkBudget): NamedZone {
  const known = zoneNamed(tzid);
  if (known === undefined || isAbbreviation(tzid)) {
    const own = component && zoneOf(component, budget);
    if (own !== undefined) return { zone: own, described: undefined, uncertainAt: () => undefined };
    return { zone: known, described: undefined, uncertainAt: () => 'TZID' };
  }
  if (component === undefined) return { zone: known, described: undefined, uncertainAt: () => undefined };
  const agrees = agreement(tzid, known, component, budget);
  return {
    zone: known,
    described: component,
    uncertainAt: (wallMs) => (agrees(wallMs) ? undefined : 'VTIMEZONE'),
  };
}

/** @throws BrokenObject if the event has no readable time */
function eventPart(event: ICAL.Component, place: EventPlace, object: Clocks): EventPart {
  const leftOut = new Set([...unreadLines(event), ...place.odd]);
  if (leftOut.has('VEVENT')) throw new BrokenObject('an event has no readable time');
  const clocks: Clocks = { ...object, uncertain: (mark) => leftOut.add(mark) };
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
  const written = dtstart && firstMoment(dtstart, clocks);
  if (written === undefined) throw new BrokenObject('an event has no DTSTART');
  const span = orElse('DTEND', shortest(written), () => spanOf(event, written, clocks));
  const isWholeDays = isOutlookAllDay(event, written, span);
  const start = isWholeDays ? dayIn(written)(written) : written;
  const inStyle = isWholeDays ? dayIn(written) : (moment: Moment) => moment;
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
    revision: revisionOf(event),
    title: textOf(event, 'summary'),
    organizer: organizer === undefined ? null : participant(organizer),
    status: status === 'CANCELLED' ? 'cancelled' : status === 'TENTATIVE' ? 'tentative' : 'confirmed',
    start,
    span: isWholeDays ? { days: Math.max(1, daysOf(span)), exactMs: 0 } : span,
    recurrenceId: recurrenceId === null ? undefined : inStyle(firstMoment(recurrenceId, clocks)),
    andFuture: recurrenceId?.getFirstParameter('range')?.toUpperCase() === 'THISANDFUTURE',
    rules: each('RRULE', (property) => seriesRule(property, start, clocks)),
    exceptions: each('EXRULE', (property) => seriesRule(property, start, clocks)),
    added: each('RDATE', (property) => addedDates(property, clocks, () => leftOut.add('RDATE')))
      .flat()
      .map((one) => ({ ...one, start: inStyle(one.start) })),
    excluded: moments('EXDATE').map(inStyle),
    // Last: the set is complete by then.
    leftOut: [...leftOut],
  };
}

/** Outlook writes an event of whole days as one from midnight to midnight of a zone, which need not be the reader's. */
function isOutlookAllDay(event: ICAL.Component, start: Moment, span: Span): boolean {
  const isMarked = textOf(event, 'x-microsoft-cdo-alldayevent').toUpperCase() === 'TRUE';
  return isMarked && start.kind !== 'date' && start.wallMs % DAY_MS === 0 && daysOf(span) % 1 === 0;
}

/** A change of the clocks makes a day an hour longer or shorter. */
function daysOf({ days, exactMs }: Span): number {
  const exactDays = exactMs / DAY_MS;
  const whole = Math.round(exactDays);
  return days + (Math.abs(exactDays - whole) <= 1 / 12 ? whole : exactDays);
}

/** The days of an event that starts like this: those of its clock. */
function dayIn({ zone }: Moment): (moment: Moment) => Moment {
  return (moment) => {
    if (moment.kind === 'date') return moment;
    const isElsewhere = zone !== undefined && moment.zone !== undefined && moment.zone !== zone;
    const wallMs = isElsewhere ? wallTime(instantOf(moment.wallMs, moment.zone), zone) : moment.wallMs;
    return { kind: 'date', wallMs: dayOf(wallMs), ...NO_ZONE };
  };
}

function revisionOf(event: ICAL.Component): EventPart['revision'] {
  const sequence = event.getFirstPropertyValue('sequence');
  const stamp = event.getFirstPropertyValue('dtstamp');
  const stampMs = stamp instanceof ICAL.Time ? stamp.toUnixTime() : 0;
  return [typeof sequence === 'number' ? sequence : 0, Number.isFinite(stampMs) ? stampMs : 0];
}

/** Negative: `one` is older than `other`. */
export function compareRevisions({ revision: one }: EventPart, { revision: other }: EventPart): number {
  return one[0] - other[0] || one[1] - other[1];
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
  const named = property.getFirstParameter('tzid');
  // To ical.js, GMT is UTC, whatever the object defines.
  if (value.zone === ICAL.Timezone.utcTimezone && !/^GMT$/i.test(named ?? '')) {
    return { kind: 'zoned', wallMs, zone: UTC, described: undefined };
  }
  const tzid = named || clocks.zoneOfAll;
  if (!tzid) return { kind: 'floating', wallMs, ...NO_ZONE };
  const { zone, described, uncertainAt } = clocks.zone(tzid);
  const mark = uncertainAt(wallMs);
  if (mark !== undefined) clocks.uncertain(mark);
  return { kind: zone === undefined ? 'floating' : 'zoned', wallMs, zone, described };
}

const NO_ZONE = { zone: undefined, described: undefined };
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

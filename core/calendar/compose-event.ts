import { readObject } from '../ical/object.ts';
import type { CalendarEvent } from '../ports/calendar.ts';
import { normalAddress } from '../schema.ts';
import {
  type Component,
  type ContentLine,
  escapedText,
  isLine,
  line,
  linesNamed,
  objectText,
  parameterOf,
  parseObject,
  withLines,
  withParameter,
} from './content-lines.ts';
import type { Agent } from './event-facts.ts';
import { type KeyInObject, partOf } from './object-part.ts';
import {
  asStart,
  instanceLine,
  timeLines,
  utcTime,
  type WritingZone,
  type WrittenStart,
  zoneIn,
} from './written-time.ts';

/**
 * The text of calendar objects that are to be stored (RFC 5545): new ones, and those that are there with some lines
 * changed. What is not asked to change stays as it was, known or not. Whoever composes reads the text again before it
 * is used: see event-plan.ts.
 */

/** How an object is written. */
export interface Writing {
  /** Undefined: times that we write are in UTC. */
  readonly zone: WritingZone | undefined;
  /** Becomes DTSTAMP and LAST-MODIFIED. */
  readonly stamp: Date;
}

export interface Invited {
  /** Mail addresses. */
  readonly organizer: string;
  readonly attendee: string;
  readonly agent: Agent;
}

export interface NewEvent {
  readonly uid: string;
  readonly title: string;
  readonly start: Date;
  readonly end: Date;
  readonly status: 'CONFIRMED' | 'TENTATIVE';
  readonly invited: Invited | null;
}

export function newObject(event: NewEvent, { zone, stamp }: Writing): string {
  const { uid, title, start, end, status, invited } = event;
  const lines = [
    line('UID', uid),
    line('DTSTAMP', utcTime(stamp)),
    line('CREATED', utcTime(stamp)),
    line('LAST-MODIFIED', utcTime(stamp)),
    line('SEQUENCE', '0'),
    line('SUMMARY', escapedText(title)),
    ...timeLines(start, end, zone),
    line('STATUS', status),
    ...(invited === null ? [] : [organizerLine(invited.organizer), attendeeLine(invited)]),
  ];
  const calendar = { name: 'VCALENDAR', items: [...HEAD, { name: 'VEVENT', items: lines }] };
  return objectText(zone === undefined ? calendar : withZone(calendar, zone));
}

/** The lines that an object of ours begins with. */
export const HEAD: readonly ContentLine[] = [
  line('VERSION', '2.0'),
  line('PRODID', '-//Countersign//Countersign//EN'),
];

export interface EventChange {
  readonly title?: string;
  /** Where the time changes: its end, and its start unless that stays. */
  readonly time?: { readonly start?: Date; readonly end: Date };
  readonly status?: 'CONFIRMED' | 'CANCELLED';
  readonly invited?: Invited;
  /** Becomes the organizer where there is none. RFC 5546 3.2.2: whoever is told of an event is told whose it is. */
  readonly organizer?: string;
  /** The owner's own address: where it stands among the attendees, it stays as it is. */
  readonly self: string;
  /** SCHEDULE-AGENT of every other attendee from now on, by the one that they have. */
  agentOf(now: Agent): Agent;
}

/**
 * The object with one event changed: of a series, one instance as an override (never the expanded data). SEQUENCE
 * rises by one.
 * @param current the event as it is; an instance that nobody has changed is given its times
 * @throws BrokenObject where the object cannot be read @throws Error where it has no such event
 */
export function changedObject(
  ics: string,
  current: Pick<CalendarEvent, 'uid' | 'recurrenceId' | 'start' | 'end'>,
  change: EventChange,
  writing: Writing & { readonly timezone: string },
): string {
  const object = openObject(ics, current);
  const { calendar, part, start, sequence } = object;
  let event = part.own ? object.event : instanceOf(object, current, writing.timezone);
  if (change.title !== undefined) {
    event = withLines(event, ['SUMMARY'], [line('SUMMARY', escapedText(change.title))]);
  }
  if (change.time?.start !== undefined) {
    const lines = timeLines(change.time.start, change.time.end, writing.zone);
    event = withLines(event, ['DTSTART', 'DTEND', 'DURATION'], lines);
  } else if (change.time !== undefined) {
    const end = asStart('DTEND', change.time.end, start, writing.timezone);
    event = withLines(event, ['DTEND', 'DURATION'], [end]);
  }
  if (change.status !== undefined) event = withLines(event, ['STATUS'], [line('STATUS', change.status)]);
  event = withAttendees(event, change);
  event = stamped(event, sequence + 1, writing.stamp);
  let changed = part.own ? replaced(calendar, object.event, event) : withEvent(calendar, event);
  if (change.organizer !== undefined) changed = withOrganizer(changed, current.uid, change.organizer);
  const usesZone = linesNamed(event, 'DTSTART').some(
    (dtstart) => parameterOf(dtstart, 'TZID') === writing.zone?.tzid,
  );
  return objectText(usesZone && writing.zone !== undefined ? withZone(changed, writing.zone) : changed);
}

/**
 * The object without one instance of its series: EXDATE, and no override of it. Null when nothing would be left.
 * @throws BrokenObject, Error as `changedObject`
 */
export function withoutInstance(
  ics: string,
  key: KeyInObject & { readonly recurrenceId: string },
  { stamp }: Pick<Writing, 'stamp'>,
): string | null {
  const { calendar, part, event, master, sequence } = openObject(ics, key);
  const left = part.own ? { ...calendar, items: calendar.items.filter((item) => item !== event) } : calendar;
  if (master === undefined) return eventsIn(left).length === 0 ? null : objectText(left);
  const except = instanceLine('EXDATE', key.recurrenceId, master.start);
  const excepting = stamped(withLines(master.event, [], [except]), sequence + 1, stamp);
  return objectText(replaced(left, master.event, excepting));
}

interface OpenObject {
  readonly calendar: Component;
  readonly part: { readonly own: boolean };
  readonly event: Component;
  readonly start: WrittenStart;
  /** The whole series, where there is one. */
  readonly master: { readonly event: Component; readonly start: WrittenStart } | undefined;
  /** The highest in the object. */
  readonly sequence: number;
}

function openObject(ics: string, key: KeyInObject): OpenObject {
  const parts = readObject(ics);
  const calendar = parseObject(ics);
  const events = eventsIn(calendar);
  const at = (index: number) => {
    const [event, moment] = [events[index], parts[index]?.start];
    const [dtstart] = event === undefined ? [] : linesNamed(event, 'DTSTART');
    if (event === undefined || moment === undefined || dtstart === undefined) {
      throw new Error('an event is not where it was read');
    }
    return { event, start: { line: dtstart, moment } };
  };
  const part = partOf(parts, key);
  if (part === undefined) throw new Error('the object has no such event');
  const series = parts.findIndex(({ uid, recurrenceId }) => uid === key.uid && recurrenceId === undefined);
  const sequences = events
    .flatMap((event) => linesNamed(event, 'SEQUENCE'))
    .map(({ value }) => Number(value));
  return {
    calendar,
    part,
    ...at(part.index),
    master: series === -1 ? undefined : at(series),
    sequence: sequences.filter(Number.isSafeInteger).reduce((most, value) => Math.max(most, value), 0),
  };
}

function eventsIn(calendar: Component): Component[] {
  return calendar.items.filter((item): item is Component => !isLine(item) && item.name === 'VEVENT');
}

const OF_THE_SERIES = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE', 'DTSTART', 'DTEND', 'DURATION', 'SEQUENCE'];

/** An instance that nobody has changed, as an override. */
function instanceOf(
  { event, start }: OpenObject,
  current: Pick<CalendarEvent, 'recurrenceId' | 'start' | 'end'>,
  timezone: string,
): Component {
  if (current.recurrenceId === null) throw new Error('only an instance of a series has an override');
  const lines = [
    instanceLine('RECURRENCE-ID', current.recurrenceId, start),
    instanceLine('DTSTART', current.recurrenceId, start),
    asStart('DTEND', current.end, start, timezone),
  ];
  return withLines(event, OF_THE_SERIES, lines);
}

function withAttendees(event: Component, { time, invited, self, agentOf }: EventChange): Component {
  const attendees = linesNamed(event, 'ATTENDEE').map((attendee) => {
    if (normalAddress(attendee.value) === normalAddress(mailto(self))) return attendee;
    const agent = agentOf(agentIn(attendee));
    const told = withParameter(attendee, 'SCHEDULE-AGENT', AGENT_VALUES[agent]);
    const same = parameterOf(told, 'SCHEDULE-AGENT') === parameterOf(attendee, 'SCHEDULE-AGENT');
    if (time === undefined || agent === 'none') return same ? attendee : told;
    // RFC 5546 3.2.2.1: to another time nobody has agreed yet.
    return withParameter(withParameter(told, 'PARTSTAT', 'NEEDS-ACTION'), 'RSVP', 'TRUE');
  });
  const added = invited === undefined ? [] : [attendeeLine(invited)];
  return withLines(event, ['ATTENDEE'], [...attendees, ...added]);
}

const AGENT_VALUES: Record<Agent, string | undefined> = { server: undefined, client: 'CLIENT', none: 'NONE' };

function agentIn(attendee: ContentLine): Agent {
  const value = parameterOf(attendee, 'SCHEDULE-AGENT')?.replaceAll('"', '').toUpperCase();
  if (value === undefined || value === 'SERVER') return 'server';
  return value === 'CLIENT' ? 'client' : 'none';
}

function attendeeLine({ attendee, agent }: Invited): ContentLine {
  const agentValue = AGENT_VALUES[agent];
  return line('ATTENDEE', mailto(attendee), [
    ['CUTYPE', 'INDIVIDUAL'],
    ['ROLE', 'REQ-PARTICIPANT'],
    ['PARTSTAT', 'NEEDS-ACTION'],
    ['RSVP', 'TRUE'],
    ...(agentValue === undefined ? [] : [['SCHEDULE-AGENT', agentValue] as const]),
  ]);
}

function organizerLine(address: string): ContentLine {
  return line('ORGANIZER', mailto(address));
}

/** RFC 6068 2. */
export function mailto(address: string): string {
  const encoded = address.replace(/[^A-Za-z0-9@._~!$'*+=-]/g, encodeURIComponent);
  return `mailto:${encoded}`;
}

/** RFC 6638 3.2.4.2: all events of an object have the same organizer. */
function withOrganizer(calendar: Component, uid: string, organizer: string): Component {
  const items = calendar.items.map((item) => {
    if (isLine(item) || item.name !== 'VEVENT' || linesNamed(item, 'ORGANIZER').length > 0) return item;
    const same = linesNamed(item, 'UID').some(({ value }) => [uid, escapedText(uid)].includes(value));
    return same ? withLines(item, [], [organizerLine(organizer)]) : item;
  });
  return { ...calendar, items };
}

function stamped(event: Component, sequence: number, stamp: Date): Component {
  const names = ['SEQUENCE', 'DTSTAMP', 'LAST-MODIFIED'];
  const values = [String(sequence), utcTime(stamp), utcTime(stamp)];
  return withLines(
    event,
    names,
    names.map((name, index) => line(name, values[index] ?? '')),
  );
}

function replaced(calendar: Component, old: Component, event: Component): Component {
  return { ...calendar, items: calendar.items.map((item) => (item === old ? event : item)) };
}

function withEvent(calendar: Component, event: Component): Component {
  return { ...calendar, items: [...calendar.items, event] };
}

/** With the VTIMEZONE, unless the object describes a zone of that name itself. */
function withZone(calendar: Component, { tzid, component }: WritingZone): Component {
  if (zoneIn(calendar, tzid) !== undefined) return calendar;
  const first = calendar.items.findIndex((item) => !isLine(item));
  const at = first === -1 ? calendar.items.length : first;
  return { ...calendar, items: [...calendar.items.slice(0, at), component, ...calendar.items.slice(at)] };
}

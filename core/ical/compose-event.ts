import type { Agent, Attendee, EventFacts } from '../calendar/event.ts';
import type { KeyInDocument } from '../calendar/event-document.ts';
import {
  type Component,
  type ContentLine,
  escapedText,
  eventsIn,
  isLine,
  line,
  linesNamed,
  objectText,
  parameterOf,
  parseObject,
  withLines,
  withParameter,
} from './content-lines.ts';
import { BrokenObject, type EventPart, readObject } from './object.ts';
import { partOf } from './object-part.ts';
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
 * Writes the text of calendar objects (RFC 5545): new ones, and stored ones with some lines changed. Lines that the
 * change does not concern stay as they are, known or unknown. Callers read the text again before they use it: see
 * event-change.ts.
 */

/** How to write an object. */
export interface Writing {
  /** Undefined: new times are written in UTC. */
  readonly zone: WritingZone | undefined;
  /** Becomes DTSTAMP and LAST-MODIFIED. */
  readonly stamp: Date;
}

/** The object of a new event: without a series, a place or a description. */
export function newObject(event: EventFacts, { zone, stamp }: Writing): string {
  const { uid, title, start, end, status, organizer, attendees } = event;
  const lines = [
    line('UID', uid),
    line('DTSTAMP', utcTime(stamp)),
    line('CREATED', utcTime(stamp)),
    line('LAST-MODIFIED', utcTime(stamp)),
    line('SEQUENCE', '0'),
    line('SUMMARY', escapedText(title)),
    ...timeLines(start, end, zone),
    line('STATUS', status.toUpperCase()),
    ...(organizer === null ? [] : [organizerLine(organizer.address)]),
    ...attendees.map(attendeeLine),
  ];
  const calendar = { name: 'VCALENDAR', items: [...HEAD, { name: 'VEVENT', items: lines }] };
  return objectText(zone === undefined ? calendar : withZone(calendar, zone));
}

/** The first lines of an object that Countersign writes. */
export const HEAD: readonly ContentLine[] = [
  line('VERSION', '2.0'),
  line('PRODID', '-//Countersign//Countersign//EN'),
];

/** The change to an event. Anything not named stays as it is. */
export interface EventChange {
  readonly title?: string;
  /** Only if the time changes: the new end, and the new start unless it stays. */
  readonly time?: { readonly start?: Date; readonly end: Date };
  readonly status?: EventFacts['status'];
  /** For the existing attendees, in their order. */
  readonly attendees?: readonly AttendeeChange[];
  readonly added?: readonly Attendee[];
  /** Added if the event has no organizer. RFC 5546 3.2.2: a message about an event names its organizer. */
  readonly organizer?: string;
}

interface AttendeeChange {
  /** The new SCHEDULE-AGENT. */
  readonly agent?: Agent;
  /** RFC 5546 3.2.2.1: after a change of time, nobody has accepted yet. */
  readonly mustReplyAgain?: boolean;
}

/** The change that turns `before` into `after`. Facts that Countersign never changes stay. */
export function changeBetween(before: EventFacts, after: EventFacts): EventChange {
  const startMoves = after.start.getTime() !== before.start.getTime() || after.allDay !== before.allDay;
  const endMoves = after.end.getTime() !== before.end.getTime();
  const attendees = before.attendees.map((now, index): AttendeeChange => {
    const then = after.attendees[index] ?? now;
    return {
      ...(then.agent === now.agent ? {} : { agent: then.agent }),
      ...(then.answer === now.answer ? {} : { mustReplyAgain: true }),
    };
  });
  return {
    ...(after.title === before.title ? {} : { title: after.title }),
    ...(startMoves ? { time: { start: after.start, end: after.end } } : {}),
    ...(endMoves && !startMoves ? { time: { end: after.end } } : {}),
    ...(after.status === before.status ? {} : { status: after.status }),
    attendees,
    added: after.attendees.slice(before.attendees.length),
    ...(before.organizer === null && after.organizer !== null ? { organizer: after.organizer.address } : {}),
  };
}

/**
 * Changes one event of an object. For an instance of a series, adds an override; never writes expanded data. Raises
 * SEQUENCE by one.
 * @param current the event as it is; an instance without an override gets its times
 * @throws BrokenObject if the object cannot be read @throws Error if it does not contain the event
 */
export function changedObject(
  ics: string,
  current: Pick<EventFacts, 'uid' | 'recurrenceId' | 'start' | 'end'>,
  change: EventChange,
  writing: Writing & { readonly timezone: string },
): string {
  const object = openObject(ics, current);
  const { calendar, own, start, sequence } = object;
  let event = own ? object.event : instanceOf(object, current, writing.timezone);
  if (change.title !== undefined) {
    event = withLines(event, ['SUMMARY'], [line('SUMMARY', escapedText(change.title))]);
  }
  if (change.time?.start !== undefined) {
    const lines = timeLines(change.time.start, change.time.end, writing.zone);
    event = withLines(event, ['DTSTART', 'DTEND', 'DURATION', ...OF_WHOLE_DAYS], lines);
  } else if (change.time !== undefined) {
    const end = asStart('DTEND', change.time.end, start, writing.timezone);
    event = withLines(event, ['DTEND', 'DURATION'], [end]);
  }
  if (change.status !== undefined)
    event = withLines(event, ['STATUS'], [line('STATUS', change.status.toUpperCase())]);
  event = withAttendees(event, change);
  event = stamped(event, sequence + 1, writing.stamp);
  let changed = own ? replaced(calendar, object.event, event) : withEvent(calendar, event);
  if (change.organizer !== undefined) changed = withOrganizer(changed, current.uid, change.organizer);
  const usesZone = linesNamed(event, 'DTSTART').some(
    (dtstart) => parameterOf(dtstart, 'TZID') === writing.zone?.tzid,
  );
  return objectText(usesZone && writing.zone !== undefined ? withZone(changed, writing.zone) : changed);
}

/**
 * Removes an event, or a series with all of its overrides. Null if nothing would be left.
 * @throws BrokenObject if the object cannot be read, or it is not certain which of its events are meant
 */
export function withoutEvent(ics: string, uid: string): string | null {
  const { calendar } = openObject(ics, { uid, recurrenceId: null });
  const isRemoved = (event: Component) => {
    const uids = linesNamed(event, 'UID');
    if (uids.length !== 1) throw new BrokenObject('an event of the object does not have one UID');
    return isUidOf(event, uid);
  };
  const left = calendar.items.filter((item) => isLine(item) || item.name !== 'VEVENT' || !isRemoved(item));
  const isEmpty = left.every((item) => isLine(item) || item.name === 'VTIMEZONE');
  return isEmpty ? null : objectText({ ...calendar, items: left });
}

/**
 * Removes one instance from its series: adds EXDATE and drops its override. Null if nothing would be left.
 * @throws BrokenObject, Error as `changedObject`
 */
export function withoutInstance(
  ics: string,
  key: KeyInDocument & { readonly recurrenceId: string },
  { stamp }: Pick<Writing, 'stamp'>,
): string | null {
  const { calendar, own, event, master, sequence } = openObject(ics, key);
  const left = own ? { ...calendar, items: calendar.items.filter((item) => item !== event) } : calendar;
  if (master === undefined) return eventsIn(left).length === 0 ? null : objectText(left);
  const except = instanceLine('EXDATE', key.recurrenceId, master.start);
  const excepting = stamped(withLines(master.event, [], [except]), sequence + 1, stamp);
  return objectText(replaced(left, master.event, excepting));
}

interface OpenObject {
  readonly calendar: Component;
  /** See PartFound. */
  readonly own: boolean;
  readonly event: Component;
  readonly start: WrittenStart;
  /** The whole series, if there is one. */
  readonly master: { readonly event: Component; readonly start: WrittenStart } | undefined;
  /** The highest SEQUENCE in the object. */
  readonly sequence: number;
}

function openObject(ics: string, key: KeyInDocument): OpenObject {
  const parts = readObject(ics);
  const calendar = parseObject(ics);
  const events = eventsIn(calendar);
  const written = ({ index, start }: EventPart) => {
    const event = events[index];
    const [dtstart] = event === undefined ? [] : linesNamed(event, 'DTSTART');
    if (event === undefined || dtstart === undefined) throw new Error('an event is not at its index');
    return { event, start: { line: dtstart, moment: start } };
  };
  const found = partOf(parts, key);
  if (found === undefined) throw new Error('the object does not contain the event');
  if (!found.isUnique) throw new BrokenObject('the object contains several events of that key');
  const series = partOf(parts, { uid: key.uid, recurrenceId: null })?.part;
  const sequences = events
    .flatMap((event) => linesNamed(event, 'SEQUENCE'))
    .map(({ value }) => Number(value));
  return {
    calendar,
    own: found.own,
    ...written(found.part),
    master: series && written(series),
    sequence: sequences.filter(Number.isSafeInteger).reduce((most, value) => Math.max(most, value), 0),
  };
}

/** Outlook's marks of an event of whole days. */
const OF_WHOLE_DAYS = ['X-MICROSOFT-CDO-ALLDAYEVENT', 'X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT'];

const OF_THE_SERIES = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE', 'DTSTART', 'DTEND', 'DURATION', 'SEQUENCE'];

/** The override for an instance that has none. */
function instanceOf(
  { event, start }: OpenObject,
  current: Pick<EventFacts, 'recurrenceId' | 'start' | 'end'>,
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

function withAttendees(event: Component, { attendees = [], added = [] }: EventChange): Component {
  const lines = linesNamed(event, 'ATTENDEE').map((written, index) => {
    // What the server said about its last message (RFC 6638 7.3) is not true of the next one.
    const isOld = parameterOf(written, 'SCHEDULE-STATUS') !== undefined;
    const attendee = isOld ? withParameter(written, 'SCHEDULE-STATUS', undefined) : written;
    const { agent, mustReplyAgain = false } = attendees[index] ?? {};
    const updated =
      agent === undefined ? attendee : withParameter(attendee, 'SCHEDULE-AGENT', AGENT_VALUES[agent]);
    if (!mustReplyAgain) return updated;
    return withParameter(withParameter(updated, 'PARTSTAT', 'NEEDS-ACTION'), 'RSVP', 'TRUE');
  });
  return withLines(event, ['ATTENDEE'], [...lines, ...added.map(attendeeLine)]);
}

const AGENT_VALUES: Record<Agent, string | undefined> = { server: undefined, client: 'CLIENT', none: 'NONE' };

function attendeeLine({ address, agent }: Attendee): ContentLine {
  const agentValue = AGENT_VALUES[agent];
  return line('ATTENDEE', mailto(address), [
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
    return isUidOf(item, uid) ? withLines(item, [], [organizerLine(organizer)]) : item;
  });
  return { ...calendar, items };
}

function isUidOf(event: Component, uid: string): boolean {
  return linesNamed(event, 'UID').some(({ value }) => [uid, escapedText(uid)].includes(value));
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

/** Adds the VTIMEZONE, unless the object already describes a zone of that name. */
function withZone(calendar: Component, { tzid, component }: WritingZone): Component {
  if (zoneIn(calendar, tzid) !== undefined) return calendar;
  const first = calendar.items.findIndex((item) => !isLine(item));
  const at = first === -1 ? calendar.items.length : first;
  return { ...calendar, items: [...calendar.items.slice(0, at), component, ...calendar.items.slice(at)] };
}

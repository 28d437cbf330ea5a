import type { Invitation } from '../mail/compose.ts';
import { oneLine } from '../text/one-line.ts';
import { dateFormat } from '../time/date-format.ts';
import { ianaZone } from '../time/iana-zone.ts';
import { isoIn } from '../time/time-zone.ts';
import { HEAD, mailto } from './compose-event.ts';
import { type ContentLine, escapedText, line, objectText, parameterOf } from './content-lines.ts';
import type { Attendee, EventFacts } from './event.ts';
import { wallTime } from './ical/zone.ts';
import { basicTime } from './object-part.ts';
import { timeLines, utcTime, type WritingZone, writingZone } from './written-time.ts';

/** Writes the messages to attendees (iTIP, RFC 5546, over iMIP, RFC 6047). */

type InvitationMethod = Invitation['method'];

interface Sending {
  /** The owner's zone. The page shows times in it. */
  readonly timezone: string;
  readonly stamp: Date;
}

/**
 * The message to the attendees, written only from what the owner's page shows of the event. No line, parameter or
 * zone of the stored object is copied.
 */
export function invitationObject(method: InvitationMethod, facts: EventFacts, sending: Sending): string {
  const { timezone, stamp } = sending;
  const { title, location, description, organizer, attendees } = invitedFacts(facts);
  const zone = writingZone(timezone);
  const text = (name: string, value: string) => (value === '' ? [] : [line(name, escapedText(value))]);
  const event = [
    line('UID', escapedText(facts.uid)),
    ...(facts.recurrenceId === null ? [] : [recurrenceLine(facts.recurrenceId, zone)]),
    line('DTSTAMP', utcTime(stamp)),
    line('SEQUENCE', String(facts.sequence)),
    line('STATUS', facts.status.toUpperCase()),
    ...text('SUMMARY', title),
    ...eventTimes(facts, zone, timezone),
    ...text('LOCATION', location),
    ...text('DESCRIPTION', description),
    ...(organizer === null ? [] : [line('ORGANIZER', uriOf(organizer), commonName(organizer.name))]),
    ...attendees.map(attendeeLine),
  ];
  const isZoned = event.some((each) => parameterOf(each, 'TZID') !== undefined);
  const zones = zone !== undefined && isZoned ? [zone.component] : [];
  const items = [...HEAD, line('METHOD', method), ...zones, { name: 'VEVENT', items: event }];
  return objectText({ name: 'VCALENDAR', items });
}

/** The facts that attendees receive: only attendees that are notified, only characters that a line may contain. */
export function invitedFacts(facts: EventFacts): Omit<EventFacts, 'recurring'> {
  const { recurring: _recurring, ...others } = facts;
  const named = <P extends { readonly name: string }>(one: P): P => ({ ...one, name: clean(one.name) });
  return {
    ...others,
    title: clean(facts.title),
    location: clean(facts.location),
    description: clean(facts.description),
    organizer: facts.organizer && named(facts.organizer),
    attendees: facts.attendees
      .filter(({ agent, isMail, address }) => agent !== 'none' && (isMail || PLAIN_URI.test(address)))
      // SCHEDULE-AGENT is between a client and its own server (RFC 6638 7).
      .map((one) => ({ ...named(one), agent: 'server' })),
  };
}

const PLAIN_URI = /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i;

function uriOf({ address, isMail }: Pick<Attendee, 'address' | 'isMail'>): string {
  return isMail ? mailto(address) : address;
}

function attendeeLine(attendee: Attendee): ContentLine {
  const { name, role, answer } = attendee;
  const reply: ContentLine['parameters'] = answer === 'NEEDS-ACTION' ? [['RSVP', 'TRUE']] : [];
  return line('ATTENDEE', uriOf(attendee), [
    ...commonName(name),
    ['ROLE', role],
    ['PARTSTAT', answer],
    ...reply,
  ]);
}

/** RFC 6868: a quoted value contains no quotes and no line breaks. */
function commonName(name: string): ContentLine['parameters'] {
  const encoded = name.replaceAll('^', '^^').replaceAll('"', "^'").replaceAll('\n', '^n');
  return name === '' ? [] : [['CN', `"${encoded}"`]];
}

function eventTimes(
  { start, end, allDay }: EventFacts,
  zone: WritingZone | undefined,
  timezone: string,
): ContentLine[] {
  if (allDay) {
    const day = (instant: Date) => basicTime(wallTime(instant.getTime(), ianaZone(timezone))).slice(0, 8);
    return [line('DTSTART', day(start), [['VALUE', 'DATE']]), line('DTEND', day(end), [['VALUE', 'DATE']])];
  }
  const lines = timeLines(start, end, zone);
  // RFC 5545 3.6.1: an event without a duration has no end.
  return end.getTime() > start.getTime() ? lines : lines.slice(0, 1);
}

/** @param id see EventKey */
function recurrenceLine(id: string, zone: WritingZone | undefined): ContentLine {
  const utc = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(id);
  if (utc === null) return line('RECURRENCE-ID', id, id.length === 8 ? [['VALUE', 'DATE']] : []);
  const [year, month, day, hour, minute, second] = utc.slice(1);
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const [written] = timeLines(instant, instant, zone);
  return line('RECURRENCE-ID', written?.value ?? id, written?.parameters ?? []);
}

export interface InvitationText {
  readonly subject: string;
  readonly text: string;
}

/** The same for people. @param options `wereNotified`: attendees have been notified of the event before */
export function invitationText(
  method: InvitationMethod,
  event: EventFacts,
  { organizer, timezone, wereNotified }: { organizer: string; timezone: string; wereNotified: boolean },
): InvitationText {
  const title = oneLine(event.title);
  const kind = method === 'CANCEL' ? 'Cancelled' : wereNotified ? 'Updated invitation' : 'Invitation';
  const opening = {
    Cancelled: `${organizer} has cancelled this event:`,
    'Updated invitation': `${organizer} has changed this event:`,
    Invitation: `${organizer} invites you to this event:`,
  }[kind];
  const others = event.attendees.filter(({ agent, isMail }) => agent !== 'none' && isMail);
  const lines = [
    opening,
    '',
    title,
    timeText(event, timezone),
    ...(event.recurrenceId === null ? [] : ['This is only about this one event of the series.']),
    ...(event.location === '' ? [] : [`Where: ${oneLine(event.location)}`]),
    `Invited: ${others.map(({ address }) => oneLine(address)).join(', ')}`,
    ...(event.description === '' ? [] : ['', clean(event.description)]),
  ];
  return { subject: `${kind}: ${cut(title, SUBJECT_CHARS)}`, text: lines.join('\n') };
}

const SUBJECT_CHARS = 250;

/** `Saturday, 21 November 2026, 09:00 to 09:30 (Europe/Zurich, UTC+01:00)` */
function timeText({ start, end, allDay }: EventFacts, timezone: string): string {
  const day = (instant: Date) =>
    dateFormat('en-GB', {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: timezone,
    }).format(instant);
  const clock = (instant: Date) => isoIn(instant, timezone).slice(11, 16);
  const lastDay = new Date(Math.max(start.getTime(), end.getTime() - 1));
  if (allDay)
    return day(start) === day(lastDay) ? `${day(start)}, all day` : `${day(start)} to ${day(lastDay)}`;
  const until = day(start) === day(end) ? clock(end) : `${day(end)}, ${clock(end)}`;
  const [from, to] = [start, end].map((instant) => `UTC${isoIn(instant, timezone).slice(19)}`);
  // If the clocks change in between, a time without its offset may be ambiguous.
  if (from !== to) return `${day(start)}, ${clock(start)} (${from}) to ${until} (${to}), ${timezone}`;
  return `${day(start)}, ${clock(start)} to ${until} (${timezone}${timezone === 'UTC' ? '' : `, ${from}`})`;
}

/** The text of an object may contain characters that a message must not. */
function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Surrogate}/gu, ' ');
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

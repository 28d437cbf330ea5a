import type { Attendee, EventFacts } from '../calendar/event.ts';
import { invitedFacts } from '../calendar/invited-facts.ts';
import type { Invitation } from '../mail/compose.ts';
import { ianaZone } from '../time/iana-zone.ts';
import { wallTime } from '../time/wall-time.ts';
import { HEAD, mailto } from './compose-event.ts';
import { type ContentLine, escapedText, line, objectText, parameterOf } from './content-lines.ts';
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

import { readObject } from '../ical/object.ts';
import type { Invitation } from '../ports/mail.ts';
import { isoIn } from '../time-zone.ts';
import { HEAD } from './compose-event.ts';
import {
  type Component,
  isLine,
  line,
  linesNamed,
  objectText,
  parameterOf,
  parseObject,
  withParameter,
} from './content-lines.ts';
import type { EventFacts } from './event-facts.ts';
import { type KeyInObject, partOf } from './object-part.ts';
import { zoneIn } from './written-time.ts';

/** What attendees are sent by mail (iTIP, RFC 5546, by iMIP, RFC 6047). */

type InvitationMethod = Invitation['method'];

/** All that is sent of an event. The owner's page shows every one of them; what it does not show stays at home. */
const SENT = [
  'UID',
  'RECURRENCE-ID',
  'DTSTAMP',
  'SEQUENCE',
  'STATUS',
  'SUMMARY',
  'DTSTART',
  'DTEND',
  'DURATION',
  'LOCATION',
  'DESCRIPTION',
  'ORGANIZER',
  'ATTENDEE',
];

/**
 * The message to the attendees: the event of that key as the object says it, without attendees whom nobody tells.
 * @throws BrokenObject @throws Error where the object has no VEVENT of its own for the event
 */
export function invitationObject(method: InvitationMethod, ics: string, key: KeyInObject): string {
  const part = partOf(readObject(ics), key);
  const calendar = parseObject(ics);
  const events = calendar.items.filter((item): item is Component => !isLine(item) && item.name === 'VEVENT');
  const event = part?.own === true ? events[part.index] : undefined;
  if (event === undefined) throw new Error('the object does not say the event that is to be sent');
  const lines = SENT.flatMap((name) => linesNamed(event, name))
    .filter((sent) => parameterOf(sent, 'SCHEDULE-AGENT')?.toUpperCase() !== 'NONE')
    .map((sent) => SCHEDULING.reduce((without, name) => withoutParameter(without, name), sent));
  const tzids = new Set(lines.map((sent) => parameterOf(sent, 'TZID')));
  const zones = [...tzids].flatMap((tzid) => (tzid === undefined ? [] : (zoneIn(calendar, tzid) ?? [])));
  const items = [...HEAD, line('METHOD', method), ...zones, { name: 'VEVENT', items: lines }];
  return objectText({ name: 'VCALENDAR', items });
}

/** RFC 6638 7: between a client and its own server. */
const SCHEDULING = ['SCHEDULE-AGENT', 'SCHEDULE-STATUS', 'SCHEDULE-FORCE-SEND'];

function withoutParameter(from: Parameters<typeof withParameter>[0], name: string) {
  return parameterOf(from, name) === undefined ? from : withParameter(from, name, undefined);
}

export interface InvitationText {
  readonly subject: string;
  readonly text: string;
}

/** The same for people. @param options `heardBefore`: they have been told of the event before */
export function invitationText(
  method: InvitationMethod,
  event: EventFacts,
  { organizer, timezone, heardBefore }: { organizer: string; timezone: string; heardBefore: boolean },
): InvitationText {
  const title = oneLine(event.title);
  const kind = method === 'CANCEL' ? 'Cancelled' : heardBefore ? 'Updated invitation' : 'Invitation';
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
    ...(event.recurrenceId === null ? [] : ['Only this one event of the series is meant.']),
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
    new Intl.DateTimeFormat('en-GB', {
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
  // Where the clocks change meanwhile, a time alone may be that of another hour.
  if (from !== to) return `${day(start)}, ${clock(start)} (${from}) to ${until} (${to}), ${timezone}`;
  return `${day(start)}, ${clock(start)} to ${until} (${timezone}${timezone === 'UTC' ? '' : `, ${from}`})`;
}

/** Text of an object may hold what a message must not. */
function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Surrogate}/gu, ' ');
}

function oneLine(text: string): string {
  return clean(text)
    .replace(/[\s\u2028\u2029\ufeff]+/gu, ' ')
    .trim();
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

import type { CalendarEvent } from '../../../core/calendar/event.ts';
import type { Calendar, StoredEvent } from '../../../core/ports/calendar.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { CalendarObjectsUnderTest } from '../calendar-objects.ts';

/** What each group of promises receives. */
export interface CalendarScene {
  readonly box: CalendarObjectsUnderTest;
  readonly calendar: Calendar;
  readonly call: MailCall;
  /** The calendar that receives new events. */
  readonly target: string;
}

/** The owner's zone. In 2026 its clocks go forward on 29 March and back on 25 October. */
const ZONE = 'Europe/Zurich';

/** Writes an object with one event. @param lines its content lines besides UID, DTSTAMP and SUMMARY */
export function object(uid: string, ...lines: string[]): string {
  return calendarOf(event(uid, ...lines));
}

export function event(uid: string, ...lines: string[]): string[] {
  const summary = lines.some((line) => line.startsWith('SUMMARY')) ? [] : [`SUMMARY:Title of ${uid}`];
  return ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...summary, ...lines, 'END:VEVENT'];
}

export function calendarOf(...components: readonly (readonly string[])[]): string {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//countersign//contract//EN'];
  return [...head, ...components.flat(), 'END:VCALENDAR', ''].join('\r\n');
}

/** A zone that is an hour behind Zurich all year, under a name that no list of zones contains. */
export const ISLAND = [
  'BEGIN:VTIMEZONE',
  'TZID:Island',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'TZNAME:ISL',
  'END:STANDARD',
  'END:VTIMEZONE',
];

export const ZURICH = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Zurich',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700329T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
];

export async function listed(
  { calendar, call }: CalendarScene,
  from: string,
  to: string,
): Promise<readonly CalendarEvent[]> {
  const list = await calendar.list(call, { from: new Date(from), to: new Date(to), timezone: ZONE });
  return list.events;
}

/** Lists the start, end and title of each event, to the minute, one short line per event. */
export async function times(scene: CalendarScene, from: string, to: string): Promise<string[]> {
  const events = await listed(scene, from, to);
  return events.map(({ start, end, title }) => `${minute(start)} ${minute(end)} ${title}`);
}

function minute(instant: Date): string {
  return instant.toISOString().slice(0, 16);
}

export function found(
  { calendar, call, target }: CalendarScene,
  uid: string,
  recurrenceId: string | null = null,
): Promise<StoredEvent | undefined> {
  return calendar.read(call, { calendar: target, uid, recurrenceId }, ZONE);
}

/** @throws Error if the event is missing */
export async function readExisting(
  scene: CalendarScene,
  uid: string,
  recurrenceId: string | null = null,
): Promise<StoredEvent> {
  const stored = await found(scene, uid, recurrenceId);
  if (stored === undefined) throw new Error(`the event ${uid} is missing`);
  return stored;
}

/** Unfolds the lines of an object. */
export function unfolded(ics: string | undefined): string[] {
  return (ics ?? '')
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}

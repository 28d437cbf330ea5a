import type { EventList } from '../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { eventsOn } from '../events-on.ts';
import { benchReader } from './bench-reader.ts';
import { worstDelayMs } from './stalls.ts';
import type { Row } from './table.ts';

/** What a calendar answers that takes longest to read: some 8 MB of hostile objects each. */
const CALENDARS: Readonly<Record<string, () => readonly string[]>> = {
  'secondly rules': () => objects(20_000, (uid) => event(uid, 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30')),
  'daily series': () => objects(5000, (uid) => event(uid, 'RRULE:FREQ=DAILY')),
  'zones of their own': () =>
    objects(10_000, (uid) => [
      ...zone(`Zone ${uid}`),
      ...event(uid, `EXDATE;TZID=Zone ${uid}:20260310T090000`),
    ]),
  'two large objects': () =>
    objects(2, (uid) => Array.from({ length: 20_000 }, (_, index) => event(`${uid}-${index}`)).flat()),
  'long lists of dates': () =>
    objects(4, (uid) =>
      event(uid, 'RRULE:FREQ=DAILY', `EXDATE:${'20260310T090000Z,'.repeat(40_000)}20260310T090000Z`),
    ),
  'long titles': () => objects(200, (uid) => event(uid, `SUMMARY:${'-'.repeat(40_000)}a`)),
  'titles of many hosts': () => objects(200, (uid) => event(uid, `SUMMARY:${'x.co '.repeat(8000)}`)),
  'broken lines': () => objects(20_000, (uid) => event(uid, 'an odd line', 'EXDATE:soon')),
};

/**
 * The longest that the event loop stands still while a hostile calendar is read. The objects are in memory: what is
 * measured is reading them.
 */
export async function calendarStalls(): Promise<Row[]> {
  const reader = benchReader();
  try {
    const rows: Row[] = [];
    const small = objects(20, (uid) => event(uid, 'LOCATION:Room 4'));
    await list(small, reader);
    for (const [name, make] of Object.entries(CALENDARS)) {
      const hostile = make();
      const reference = await worstDelayMs(() => list(small, reader));
      let unreadable = 0;
      const ours = await worstDelayMs(async () => {
        ({ unreadable } = await list(hostile, reader));
      });
      rows.push({
        name: `longest stall, a calendar of ${name} (${unreadable} of ${hostile.length} given up); a small one`,
        unit: 'ms',
        ours,
        reference,
        bound: { most: 100 },
      });
    }
    return rows;
  } finally {
    await reader.close();
  }
}

const NONE: Omit<CalendarObjects, 'inRange'> = {
  calendars: async () => [],
  target: async () => undefined,
  withUid: async () => [],
  write: async () => {},
  remove: async () => {},
  forget: async () => {},
  close: async () => {},
};

async function list(texts: readonly string[], reader: Reader): Promise<EventList> {
  const calendar = eventsOn(
    {
      ...NONE,
      async *inRange() {
        const objects = texts.map((ics, index) => ({ name: `${index}.ics`, ics }));
        yield { calendar: 'c', objects, missing: 0 };
      },
    },
    { reader },
  );
  const account = { ownerId: 'bench', accountId: 1, email: 'a@b.example', settings: async () => ({}) };
  const range = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-09T00:00:00Z') };
  const call = { account, signal: new AbortController().signal, deadlineMs: 60_000 };
  return calendar.list(call, { ...range, timezone: 'Europe/Zurich' });
}

function objects(count: number, lines: (uid: string) => readonly string[]): string[] {
  return Array.from({ length: count }, (_, index) =>
    ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines(`event-${index}`), 'END:VCALENDAR', ''].join('\r\n'),
  );
}

function event(uid: string, ...lines: readonly string[]): string[] {
  return ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTART:20260303T090000Z', ...lines, 'END:VEVENT'];
}

function zone(name: string): string[] {
  const rule = ['DTSTART:19700101T000000', 'RRULE:FREQ=SECONDLY', 'TZOFFSETFROM:+0000', 'TZOFFSETTO:+0100'];
  return ['BEGIN:VTIMEZONE', `TZID:${name}`, 'BEGIN:STANDARD', ...rule, 'END:STANDARD', 'END:VTIMEZONE'];
}

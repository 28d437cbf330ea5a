import type { EventList } from '../../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../../core/ports/calendar-objects.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { eventsOn } from '../../events-on.ts';
import { benchReader } from './bench-reader.ts';
import { event, HOSTILE_CALENDARS, objects } from './hostile-calendars.ts';
import { worstDelayMs } from './stalls.ts';
import type { Row } from './table.ts';

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
    for (const [name, make] of Object.entries(HOSTILE_CALENDARS)) {
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

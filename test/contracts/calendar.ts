import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventFacts } from '../../core/calendar/event.ts';
import type { Calendar, StoredEvent } from '../../core/ports/calendar.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';

/** A calendar for one test: empty, the one that new events are put into. */
export interface CalendarUnderTest {
  readonly calendar: Calendar;
  readonly account: MailAccount;
  /** Stores an event in it as another program would: a new one, or in place of the one of that UID. */
  put(event: EventFacts): Promise<void>;
  close(): Promise<void>;
}

/**
 * The sections of the contract, in the order in which an adapter can be written: each leans on the ones before it
 * only.
 */
export const CALENDAR_SECTIONS = [
  'calendars',
  'list',
  'read',
  'documents',
  'write',
  'remove',
  'ended',
] as const;
export type CalendarSection = (typeof CALENDAR_SECTIONS)[number];

const ZONE = 'Europe/Zurich';

const EVENT: EventFacts = {
  uid: 'one',
  recurrenceId: null,
  title: 'Planning, part one; and ✨',
  start: new Date('2026-03-10T09:00:00Z'),
  end: new Date('2026-03-10T10:30:00Z'),
  allDay: false,
  status: 'tentative',
  recurring: false,
  sequence: 0,
  location: '',
  description: '',
  organizer: null,
  attendees: [],
};
const INVITING: EventFacts = {
  ...EVENT,
  organizer: { address: 'ada@example.org', isMail: true, name: '' },
  attendees: [
    {
      address: 'bob@example.org',
      isMail: true,
      name: '',
      agent: 'client',
      answer: 'NEEDS-ACTION',
      role: 'REQ-PARTICIPANT',
    },
  ],
};

/**
 * What every adapter of the Calendar port must do.
 * @param open  gives a calendar of its own to each test
 * @param sections  while the adapter is being written: those that it can pass already
 */
export function calendarContract(
  name: string,
  open: () => Promise<CalendarUnderTest>,
  sections: readonly CalendarSection[] = CALENDAR_SECTIONS,
): void {
  describe(`${name}: the contract of a calendar`, () => {
    let opened: CalendarUnderTest;
    let call: MailCall;
    beforeEach(async () => {
      opened = await open();
      call = { account: opened.account, signal: new AbortController().signal, deadlineMs: 20_000 };
    });
    afterEach(() => opened?.close());

    const section = (which: CalendarSection, tests: () => void) =>
      describe.skipIf(!sections.includes(which))(which, tests);
    const target = async () => {
      const found = await opened.calendar.target(call);
      if (found === undefined) throw new Error('there is no calendar to write to');
      return found;
    };
    const list = async (from: string, to: string) =>
      opened.calendar.list(call, { from: new Date(from), to: new Date(to), timezone: ZONE });
    const read = async (uid = 'one', recurrenceId: string | null = null) =>
      opened.calendar.read(call, { calendar: (await target()).calendar, uid, recurrenceId }, ZONE);
    const there = async (uid = 'one'): Promise<StoredEvent> => {
      const found = await read(uid);
      if (found === undefined) throw new Error(`the event ${uid} is not there`);
      return found;
    };
    const writing = () => ({ timezone: ZONE, stamp: new Date('2026-03-01T12:00:00Z'), signal: call.signal });
    const started = async () => true;

    section('calendars', () => {
      it('names the calendar that new events are put into, and says that it can be written to', async () => {
        const found = await target();
        expect(found).toMatchObject({ writable: true });
        expect(found.name).not.toBe('');
        expect(['own', 'shared', 'unknown']).toContain(found.access);
        expect(await opened.calendar.calendars(call)).toContainEqual(found);
      });
    });

    section('list', () => {
      it('has nothing where there is nothing', async () => {
        expect(await list('2026-03-01', '2026-04-01')).toEqual({ events: [], unreadable: 0 });
      });

      it('says of an event all that a list shows', async () => {
        await opened.put(EVENT);
        const { uid, recurrenceId, title, start, end, allDay, status, recurring } = EVENT;
        const shown = { uid, recurrenceId, title, start, end, allDay, status, recurring };
        const { events } = await list('2026-03-01', '2026-04-01');
        expect(events).toMatchObject([{ ...shown, calendar: (await target()).calendar, leftOut: [] }]);
      });

      it('comes earliest first, with what only reaches into the time, ends being exclusive', async () => {
        const at = (uid: string, start: string, end: string) =>
          opened.put({ ...EVENT, uid, start: new Date(start), end: new Date(end) });
        await at('b', '2026-03-11T09:00:00Z', '2026-03-11T11:00:00Z');
        await at('a', '2026-03-10T22:00:00Z', '2026-03-11T02:00:00Z');
        await at('c', '2026-03-11T12:00:00Z', '2026-03-11T13:00:00Z');
        await at('d', '2026-03-10T20:00:00Z', '2026-03-11T00:00:00Z');
        const { events } = await list('2026-03-11T00:00:00Z', '2026-03-11T12:00:00Z');
        expect(events.map(({ uid }) => uid)).toEqual(['a', 'b']);
      });
    });

    section('read', () => {
      it('gives the event, where it lies, and the calendar', async () => {
        await opened.put(INVITING);
        const stored = await there();
        expect(stored).toMatchObject({ event: INVITING, locked: null, calendar: await target() });
        expect(stored.place.calendar).toBe((await target()).calendar);
        expect(stored.etag).not.toBe('');
      });

      it('has another ETag once the event is another, and the same one until then', async () => {
        await opened.put(EVENT);
        const { etag } = await there();
        expect((await there()).etag).toBe(etag);
        await opened.put({ ...EVENT, title: 'Other' });
        expect((await there()).etag).not.toBe(etag);
      });

      it('finds nothing where there is nothing', async () => {
        await opened.put(EVENT);
        expect(await read('two')).toBeUndefined();
        expect(await read('one', '20260310T090000Z')).toBeUndefined();
        const elsewhere = { calendar: 'not there', uid: 'one', recurrenceId: null };
        expect(await opened.calendar.read(call, elsewhere, ZONE)).toBeUndefined();
      });
    });

    section('documents', () => {
      const says = async (document: string) => {
        const reading = await opened.calendar.documents.read(document, EVENT, writing());
        return reading.kind === 'event' ? reading.event : reading.kind;
      };

      it.each([
        ['without others', EVENT],
        ['with an attendee', INVITING],
      ])('a new event %s is written so that it reads the same', async (_what, event) => {
        expect(await says(await opened.calendar.documents.create(event, writing()))).toEqual(event);
      });

      it.each<readonly [what: string, change: Partial<EventFacts>]>([
        ['title', { title: 'Other\\, title' }],
        ['status', { status: 'confirmed' }],
        ['time', { start: new Date('2026-03-29T01:30:00Z'), end: new Date('2026-03-29T03:00:00Z') }],
        ['end', { end: new Date('2026-03-10T12:00:00Z') }],
        ['attendees', INVITING],
      ])('an event of another %s reads as it is to be, with a higher sequence', async (_what, change) => {
        const { documents } = opened.calendar;
        const after = { ...EVENT, ...change };
        const document = await documents.create(EVENT, writing());
        const changed = await documents.change(document, { before: EVENT, after }, writing());
        expect(await says(changed ?? '')).toEqual({ ...after, sequence: 1 });
      });

      it('nothing is left of a document without its event', async () => {
        const { documents } = opened.calendar;
        const document = await documents.create(EVENT, writing());
        expect(await documents.without(document, EVENT, writing())).toBeNull();
      });

      it('what is no document is unreadable, and another event is none of it', async () => {
        const { documents } = opened.calendar;
        expect(await says('nonsense')).toBe('unreadable');
        const other = await documents.create({ ...EVENT, uid: 'two' }, writing());
        expect(await says(other)).toBe('none');
      });
    });

    section('write', () => {
      const write = async (
        event: EventFacts,
        ifMatch: string | null,
        start: () => Promise<boolean> = started,
      ) => {
        const document = await opened.calendar.documents.create(event, writing());
        const name = ifMatch === null ? 'new-one' : (await read())?.place.name;
        const place = { calendar: (await target()).calendar, name: name ?? 'gone' };
        await opened.calendar.write(call, { ...place, document, ifMatch }, start);
      };

      it('stores a new event, having asked to start once', async () => {
        const start = vi.fn(started);
        await write(INVITING, null, start);
        expect(start).toHaveBeenCalledTimes(1);
        const stored = await there();
        expect(stored).toMatchObject({ event: INVITING, place: { name: 'new-one' } });
      });

      it('replaces the event that has the ETag', async () => {
        await opened.put(EVENT);
        await write({ ...EVENT, title: 'Other' }, (await there()).etag);
        expect((await there()).event.title).toBe('Other');
      });

      it('is a conflict where a new event would replace another, or somebody else has changed it', async () => {
        await write(EVENT, null);
        await expect(write({ ...EVENT, title: 'Other' }, null)).rejects.toMatchObject({ code: 'conflict' });
        const { etag } = await there();
        await write({ ...EVENT, title: 'Theirs' }, etag);
        await expect(write({ ...EVENT, title: 'Other' }, etag)).rejects.toMatchObject({ code: 'conflict' });
        expect((await there()).event.title).toBe('Theirs');
      });

      it('is not_found where what it replaces is gone', async () => {
        await expect(write(EVENT, '"1"')).rejects.toMatchObject({ code: 'not_found' });
        expect(await read()).toBeUndefined();
      });

      it('does nothing when it is told not to start', async () => {
        await expect(write(EVENT, null, async () => false)).rejects.toMatchObject({ code: 'not_started' });
        expect(await read()).toBeUndefined();
      });
    });

    section('remove', () => {
      const remove = async ({ place, etag }: StoredEvent, start: () => Promise<boolean> = started) =>
        opened.calendar.remove(call, { ...place, ifMatch: etag }, start);

      it('deletes the event that has the ETag, and is not_found when it is gone', async () => {
        await opened.put(EVENT);
        const stored = await there();
        await remove(stored);
        expect(await read()).toBeUndefined();
        await expect(remove(stored)).rejects.toMatchObject({ code: 'not_found' });
      });

      it('is a conflict where somebody else has changed the event', async () => {
        await opened.put(EVENT);
        const stored = await there();
        await opened.put({ ...EVENT, title: 'Theirs' });
        await expect(remove(stored)).rejects.toMatchObject({ code: 'conflict' });
        expect((await there()).event.title).toBe('Theirs');
      });

      it('does nothing when it is told not to start', async () => {
        await opened.put(EVENT);
        await expect(remove(await there(), async () => false)).rejects.toMatchObject({ code: 'not_started' });
        expect(await read()).toBeDefined();
      });
    });

    section('ended', () => {
      it('a call that has ended is unavailable, and nothing is done or begun', async () => {
        await opened.put(EVENT);
        const { place, etag, document } = await there();
        const ended = { ...call, signal: AbortSignal.abort() };
        const begun = vi.fn(started);
        const query = { from: new Date(0), to: new Date(1), timezone: ZONE };
        const { calendar } = opened;
        for (const ask of [
          () => calendar.calendars(ended),
          () => calendar.list(ended, query),
          () => calendar.read(ended, { ...place, uid: 'one', recurrenceId: null }, ZONE),
          () => calendar.write(ended, { ...place, document, ifMatch: etag }, begun),
          () => calendar.remove(ended, { ...place, ifMatch: etag }, begun),
        ]) {
          await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
        }
        expect(begun).not.toHaveBeenCalled();
        expect((await there()).etag).toBe(etag);
      });
    });
  });
}

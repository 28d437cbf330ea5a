import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventFacts } from '../../core/calendar/event.ts';
import type { Calendar, StoredEvent } from '../../core/ports/calendar.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';

/** An empty calendar for one test: the one that receives new events. */
export interface CalendarUnderTest {
  readonly calendar: Calendar;
  readonly account: MailAccount;
  /** Stores an event as another program would. Replaces an event with the same UID. */
  put(event: EventFacts): Promise<void>;
  close(): Promise<void>;
}

/** In the order in which to write an adapter. Each depends only on those before it. */
const SECTIONS = ['calendars', 'list', 'read', 'documents', 'write', 'remove', 'ended'] as const;
export type CalendarSection = (typeof SECTIONS)[number];

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
 * The contract of the Calendar port.
 * @param open  opens a separate calendar for each test
 * @param options `sections`: the ones to run; default all. While you write the adapter, pass those that it
 * should pass already, in this order: `calendars`, `list`, `read`, `documents`, `write`, `remove`, `ended`
 */
export function calendarContract(
  name: string,
  open: () => Promise<CalendarUnderTest>,
  { sections = SECTIONS }: { readonly sections?: readonly CalendarSection[] } = {},
): void {
  describe(`${name}: calendar contract`, () => {
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
      if (found === undefined) throw new Error('there is no writable calendar');
      return found;
    };
    const list = async (from: string, to: string) =>
      opened.calendar.list(call, { from: new Date(from), to: new Date(to), timezone: ZONE });
    const read = async (uid = 'one', recurrenceId: string | null = null) =>
      opened.calendar.read(call, { calendar: (await target()).calendar, uid, recurrenceId }, ZONE);
    const readExisting = async (uid = 'one'): Promise<StoredEvent> => {
      const found = await read(uid);
      if (found === undefined) throw new Error(`the event ${uid} is missing`);
      return found;
    };
    const writing = () => ({
      timezone: ZONE,
      stamp: new Date('2026-03-01T12:00:00Z'),
      ownerId: call.account.ownerId,
      signal: call.signal,
    });
    const started = async () => true;

    section('calendars', () => {
      it('names the calendar that receives new events, and reports that it is writable', async () => {
        const found = await target();
        expect(found).toMatchObject({ writable: true });
        expect(found.name).not.toBe('');
        expect(['own', 'shared', 'unknown']).toContain(found.access);
        expect(await opened.calendar.calendars(call)).toContainEqual(found);
      });
    });

    section('list', () => {
      it('returns an empty list for an empty calendar', async () => {
        expect(await list('2026-03-01', '2026-04-01')).toEqual({ events: [], unreadable: 0 });
      });

      it('returns everything that a list shows of an event', async () => {
        await opened.put(EVENT);
        const { uid, recurrenceId, title, start, end, allDay, status, recurring } = EVENT;
        const shown = { uid, recurrenceId, title, start, end, allDay, status, recurring };
        const { events } = await list('2026-03-01', '2026-04-01');
        expect(events).toMatchObject([{ ...shown, calendar: (await target()).calendar, leftOut: [] }]);
      });

      it('returns the earliest first, includes events that overlap the range, and treats ends as exclusive', async () => {
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
      it('returns the event, its place and its calendar', async () => {
        await opened.put(INVITING);
        const stored = await readExisting();
        expect(stored).toMatchObject({ event: INVITING, locked: null, calendar: await target() });
        expect(stored.place.calendar).toBe((await target()).calendar);
        expect(stored.etag).not.toBe('');
      });

      it('returns a new ETag after a change, and the same one until then', async () => {
        await opened.put(EVENT);
        const { etag } = await readExisting();
        expect((await readExisting()).etag).toBe(etag);
        await opened.put({ ...EVENT, title: 'Other' });
        expect((await readExisting()).etag).not.toBe(etag);
      });

      it('returns undefined if there is no such event', async () => {
        await opened.put(EVENT);
        expect(await read('two')).toBeUndefined();
        expect(await read('one', '20260310T090000Z')).toBeUndefined();
        const elsewhere = { calendar: 'not there', uid: 'one', recurrenceId: null };
        expect(await opened.calendar.read(call, elsewhere, ZONE)).toBeUndefined();
      });
    });

    section('documents', () => {
      const readBack = async (document: string) => {
        const reading = await opened.calendar.documents.read(document, EVENT, writing());
        return reading.kind === 'event' ? reading.event : reading.kind;
      };

      it.each([
        ['without attendees', EVENT],
        ['with an attendee', INVITING],
      ])('a new event %s reads back as it was written', async (_what, event) => {
        expect(await readBack(await opened.calendar.documents.create(event, writing()))).toEqual(event);
      });

      it.each<readonly [what: string, change: Partial<EventFacts>]>([
        ['title', { title: 'Other\\, title' }],
        ['status', { status: 'confirmed' }],
        ['time', { start: new Date('2026-03-29T01:30:00Z'), end: new Date('2026-03-29T03:00:00Z') }],
        ['end', { end: new Date('2026-03-10T12:00:00Z') }],
        ['attendees', INVITING],
      ])(
        'an event with a changed %s reads back as changed, with a higher sequence',
        async (_what, change) => {
          const { documents } = opened.calendar;
          const after = { ...EVENT, ...change };
          const document = await documents.create(EVENT, writing());
          const changed = await documents.change(document, { before: EVENT, after }, writing());
          expect(await readBack(changed ?? '')).toEqual({ ...after, sequence: 1 });
        },
      );

      it('removing the only event leaves no document', async () => {
        const { documents } = opened.calendar;
        const document = await documents.create(EVENT, writing());
        expect(await documents.without(document, EVENT, writing())).toBeNull();
      });

      it('an invalid document is unreadable, and a document of another event has none', async () => {
        const { documents } = opened.calendar;
        expect(await readBack('nonsense')).toBe('unreadable');
        const other = await documents.create({ ...EVENT, uid: 'two' }, writing());
        expect(await readBack(other)).toBe('none');
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

      it('stores a new event after calling start once', async () => {
        const start = vi.fn(started);
        await write(INVITING, null, start);
        expect(start).toHaveBeenCalledTimes(1);
        const stored = await readExisting();
        expect(stored).toMatchObject({ event: INVITING, place: { name: 'new-one' } });
      });

      it('replaces the event whose ETag matches', async () => {
        await opened.put(EVENT);
        await write({ ...EVENT, title: 'Other' }, (await readExisting()).etag);
        expect((await readExisting()).event.title).toBe('Other');
      });

      it('throws conflict if a new event would replace another, or if someone else has changed the event', async () => {
        await write(EVENT, null);
        await expect(write({ ...EVENT, title: 'Other' }, null)).rejects.toMatchObject({ code: 'conflict' });
        const { etag } = await readExisting();
        await write({ ...EVENT, title: 'Theirs' }, etag);
        await expect(write({ ...EVENT, title: 'Other' }, etag)).rejects.toMatchObject({ code: 'conflict' });
        expect((await readExisting()).event.title).toBe('Theirs');
      });

      it('throws not_found if the event to replace is gone', async () => {
        await expect(write(EVENT, '"1"')).rejects.toMatchObject({ code: 'not_found' });
        expect(await read()).toBeUndefined();
      });

      it('does nothing if start returns false', async () => {
        await expect(write(EVENT, null, async () => false)).rejects.toMatchObject({ code: 'not_started' });
        expect(await read()).toBeUndefined();
      });
    });

    section('remove', () => {
      const remove = async ({ place, etag }: StoredEvent, start: () => Promise<boolean> = started) =>
        opened.calendar.remove(call, { ...place, ifMatch: etag }, start);

      it('deletes the event whose ETag matches, and throws not_found once it is gone', async () => {
        await opened.put(EVENT);
        const stored = await readExisting();
        await remove(stored);
        expect(await read()).toBeUndefined();
        await expect(remove(stored)).rejects.toMatchObject({ code: 'not_found' });
      });

      it('throws conflict if someone else has changed the event', async () => {
        await opened.put(EVENT);
        const stored = await readExisting();
        await opened.put({ ...EVENT, title: 'Theirs' });
        await expect(remove(stored)).rejects.toMatchObject({ code: 'conflict' });
        expect((await readExisting()).event.title).toBe('Theirs');
      });

      it('does nothing if start returns false', async () => {
        await opened.put(EVENT);
        await expect(remove(await readExisting(), async () => false)).rejects.toMatchObject({
          code: 'not_started',
        });
        expect(await read()).toBeDefined();
      });
    });

    section('ended', () => {
      it('a call that has ended is unavailable, and neither changes nor starts anything', async () => {
        await opened.put(EVENT);
        const { place, etag, document } = await readExisting();
        const ended = { ...call, signal: AbortSignal.abort() };
        const start = vi.fn(started);
        const query = { from: new Date(0), to: new Date(1), timezone: ZONE };
        const { calendar } = opened;
        for (const ask of [
          () => calendar.calendars(ended),
          () => calendar.list(ended, query),
          () => calendar.read(ended, { ...place, uid: 'one', recurrenceId: null }, ZONE),
          () => calendar.write(ended, { ...place, document, ifMatch: etag }, start),
          () => calendar.remove(ended, { ...place, ifMatch: etag }, start),
        ]) {
          await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
        }
        expect(start).not.toHaveBeenCalled();
        expect((await readExisting()).etag).toBe(etag);
      });
    });
  });
}

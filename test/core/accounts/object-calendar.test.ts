import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { expansionsOf, keptExpansions } from '../../../core/accounts/kept-expansions.ts';
import { expandObject } from '../../../core/ical/expand.ts';
import type { CalendarObjects } from '../../../core/ports/calendar-objects.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { eventsOn } from '../../events-on.ts';

// A list only reads the objects that earlier lists of the same range have not read.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const CALL: MailCall = {
  account: { ownerId: 'o', accountId: 1, email: 'ada@example.org', settings: async () => ({}) },
  signal: new AbortController().signal,
  deadlineMs: 20_000,
};

const weekly = (uid: string, title: string) =>
  object(uid, 'DTSTART:20260302T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY', `SUMMARY:${title}`);

/** A store with these objects, by their names, and the number of objects that each list has read. */
function open(stored: Map<string, string>) {
  const objects: CalendarObjects = {
    calendars: async () => [],
    target: async () => undefined,
    async *inRange() {
      yield { calendar: 'c', objects: [...stored].map(([name, ics]) => ({ name, ics })), missing: 0 };
    },
    withUid: async () => [],
    write: async () => undefined,
    remove: async () => undefined,
    forget: async () => undefined,
    close: async () => undefined,
  };
  const inline = inlineReader();
  let read = 0;
  const reader: Reader = {
    ...inline,
    read(...asked) {
      read += eventsIn.safeParse(asked[1]).data?.objects.length ?? 0;
      return inline.read(...asked);
    },
  };
  const calendar = eventsOn(objects, { reader });
  const list = async (query = MARCH) => (await calendar.list(CALL, query)).events;
  const readBy = async (work: () => Promise<unknown>) => {
    read = 0;
    await work();
    return read;
  };
  return { calendar, list, readBy };
}

const eventsIn = z.object({ objects: z.array(z.string()) });

const twenty = () => new Map(Array.from({ length: 20 }, (_, index) => [`${index}`, weekly(`${index}`, 'x')]));

describe('a list of events', () => {
  it('reads again only what has changed', async () => {
    const stored = twenty();
    const { list, readBy } = open(stored);
    expect(await readBy(list)).toBe(20);
    const first = await list();
    expect(first).toHaveLength(100);
    expect(await readBy(list)).toBe(0);
    stored.set('7', weekly('7', 'new'));
    stored.delete('8');
    expect(await readBy(list)).toBe(1);
    const titles = (await list()).map(({ title }) => title);
    expect([titles.length, titles.filter((title) => title === 'new').length]).toEqual([95, 5]);
  });

  it('of a different range, or in a different zone, reads all of it', async () => {
    const { list, readBy } = open(twenty());
    await list();
    expect(await readBy(() => list({ ...MARCH, to: new Date('2026-05-01') }))).toBe(20);
    expect(await readBy(() => list({ ...MARCH, timezone: 'Asia/Tokyo' }))).toBe(20);
    expect(await readBy(() => list())).toBe(0);
  });

  it('reads all of it once the account was forgotten', async () => {
    const { calendar, list, readBy } = open(twenty());
    await list();
    await calendar.forget('o', 2);
    expect(await readBy(list)).toBe(0);
    await calendar.forget('o', 1);
    expect(await readBy(list)).toBe(20);
  });

  it('reads again what could not be read to its end', async () => {
    const endless = object('endless', 'DTSTART:20260302T090000Z', 'RRULE:FREQ=SECONDLY');
    const { list, readBy } = open(
      new Map([['broken', 'BEGIN:VCALENDAR'], ['endless', endless], ...twenty()]),
    );
    await list();
    expect(await readBy(list)).toBe(2);
  });

  it('is what a first list would be, whatever happened to the objects before', async () => {
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      ics: fc.option(
        fc.oneof(
          fc.tuple(fc.constantFrom('u', 'v', 'w'), fc.constantFrom('x', 'y')).map((of) => weekly(...of)),
          fc.constant('BEGIN:VCALENDAR'),
        ),
        { nil: undefined },
      ),
      zone: fc.constantFrom('UTC', 'Asia/Tokyo'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const stored = new Map<string, string>();
        const { calendar } = open(stored);
        for (const { name, ics, zone } of changes) {
          if (ics === undefined) stored.delete(name);
          else stored.set(name, ics);
          const query = { ...MARCH, timezone: zone };
          const listed = await calendar.list(CALL, query);
          expect(listed).toEqual(await open(stored).calendar.list(CALL, query));
        }
      }),
    );
  });
});

describe('what is kept of lists', () => {
  it('takes no more memory than is counted', () => {
    const mostBytes = 30_000_000;
    const cache = keptExpansions(mostBytes);
    const fill = (calendars: number) => {
      for (let calendar = 0; calendar < calendars; calendar += 1) {
        const texts = Array.from({ length: 200 }, (_, index) =>
          weekly(`${calendar}-${index}`, 't'.repeat(100)),
        );
        // As it arrives from a reader's process.
        const found = texts.map((ics) => structuredClone(expandObject(ics, MARCH)));
        cache.set(CALL.account, String(calendar), expansionsOf(texts, found));
      }
    };
    fill(2);
    const before = heapBytes();
    fill(100);
    expect(cache.get(CALL.account, '0')).toBeUndefined();
    expect(cache.get(CALL.account, '99')?.size).toBe(200);
    expect(heapBytes() - before).toBeLessThan(mostBytes);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

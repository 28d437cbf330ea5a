import { describe, expect, it } from 'vitest';
import { readRange } from '../../../core/accounts/read-range.ts';
import type { Expansion } from '../../../core/calendar/event.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { testClock } from '../../open-service.ts';

// Which objects are read together, and the effect of an unreadable object on the others.

const QUERY = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };

const READ: Expansion = { events: [], cut: false, isFollowed: false };

/** A reader that records each input. `does` may fail, or return only the first objects. */
function open(does: (objects: readonly string[]) => 'too_slow' | readonly (Expansion | null)[]) {
  const batches: (readonly string[])[] = [];
  const clock = testClock();
  const reader = {
    async read(_job: string, { objects }: { objects: readonly string[] }) {
      batches.push(objects);
      const answer = does(objects);
      return answer === 'too_slow' ? { kind: 'unreadable', reason: answer } : { kind: 'read', value: answer };
    },
    async close() {},
  } as unknown as Reader;
  const reading = { ownerId: 'owner', signal: new AbortController().signal };
  return { batches, clock, read: readRange({ reader, clock }, QUERY, reading) };
}

const readAll = (objects: readonly string[]) => objects.map(() => READ);
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index} ${'x'.repeat(500)}`);

describe('the objects of a list', () => {
  it('are read in batches, each object once', async () => {
    const { batches, read } = open(readAll);
    const objects = numbered(10_000);
    expect(await read(objects)).toEqual(objects.map(() => READ));
    expect(batches.length).toBeLessThan(30);
    expect(batches.flat().toSorted()).toEqual(objects.toSorted());
  });

  it('are read small ones first, and large ones alone', async () => {
    const { batches, read } = open(readAll);
    const large = ['a', 'b'].map((name) => name.repeat(300_000));
    await read([...large, 'small', ...large]);
    expect(batches.map((batch) => batch.map(({ length }) => length))).toEqual([
      [5],
      [300_000],
      [300_000],
      [300_000],
      [300_000],
    ]);
  });

  it('that could not be read together are read in parts, after the others; a single one is given up', async () => {
    const { batches, read } = open((objects) =>
      objects.some((one) => one.startsWith('77 ')) ? 'too_slow' : readAll(objects),
    );
    const found = await read(numbered(1000));
    expect(found.flatMap((one, index) => (one === null ? [index] : []))).toEqual([77]);
    expect(batches.length).toBeLessThan(70);
  });

  it('that an earlier list has read are not read again', async () => {
    const { batches, read } = open(readAll);
    const known = { ...READ, isFollowed: true };
    expect(await read(['a', 'b', 'a'], new Map([['a', known]]))).toEqual([known, READ, known]);
    expect(batches).toEqual([['b']]);
  });

  it('that a job did not reach are read again', async () => {
    const { read } = open((objects) => readAll(objects.slice(0, 3)));
    expect(await read(numbered(10))).toEqual(numbered(10).map(() => READ));
  });

  it('are given up if a job reaches none of them', async () => {
    const { batches, read } = open(() => []);
    expect(await read(numbered(10))).toEqual(numbered(10).map(() => null));
    expect(batches).toHaveLength(1);
  });

  it('that are left when the time is over are given up, in later calendars too', async () => {
    const { clock, read, batches } = open((objects) => {
      clock.shift(6000);
      return readAll(objects);
    });
    const found = await read(numbered(2000));
    expect([found.filter((one) => one === null).length, batches.length]).toEqual([1000, 2]);
    expect(await read(['next'])).toEqual([null]);
  });

  it('are read however long the server took to return them', async () => {
    const { clock, read } = open(readAll);
    clock.shift(15_000);
    expect(await read(numbered(700))).toEqual(numbered(700).map(() => READ));
    clock.shift(15_000);
    expect(await read(['of the next calendar'])).toEqual([READ]);
  });
});

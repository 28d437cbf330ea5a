import type { Expansion, RangeQuery } from '../calendar/event.ts';
import { batchesOf } from '../memory/batches.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReadingFor } from '../ports/reader.ts';
import { readWithin } from './read-message.ts';

/** Reads the objects of a list in batches: ten thousand objects must not take ten thousand trips to a process. */

/**
 * The reading time for the objects of one list, without the time that their server takes. Small objects come first;
 * those that are left are unreadable.
 */
const READING_MS = 10_000;
const BATCH_CHARS = 256 * 1024;
const BATCH_OBJECTS = 500;
/** A batch that could not be read as a whole is split into this many parts. */
const SPLIT = 16;

/** What an earlier list of the same range found in objects, by their text. */
export type Expansions = ReadonlyMap<string, Expansion>;

/**
 * Reads the objects of one list, one calendar after another. All of them share the reading time of the list. Objects that
 * are known are not read again.
 * @returns the contents of each object, in their order; null if it cannot be read
 * @throws ServiceError as `readWithin` does
 */
export function readRange(
  ports: Pick<Ports, 'reader' | 'clock'>,
  { from, to, timezone }: RangeQuery,
  reading: ReadingFor,
): (objects: readonly string[], known?: Expansions) => Promise<readonly (Expansion | null)[]> {
  const { clock } = ports;
  let leftMs = READING_MS;

  return async (objects, known = new Map()) => {
    const found = objects.map((ics) => known.get(ics) ?? null);
    const sizeOf = (index: number) => objects[index]?.length ?? 0;
    const unknown = [...objects.keys()].filter((index) => found[index] === null);
    const smallestFirst = unknown.sort((one, other) => sizeOf(one) - sizeOf(other));
    // Batches that could not be read as a whole come back in parts, after the others.
    const waiting = batchesOf(smallestFirst, sizeOf, { size: BATCH_CHARS, count: BATCH_OBJECTS });
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      if (leftMs < 0) break;
      const input = { objects: batch.map((index) => objects[index] ?? ''), from, to, timezone };
      const began = clock.now().getTime();
      const read = await readWithin(ports, reading, 'events', input);
      leftMs -= clock.now().getTime() - began;
      if (read.kind === 'read') {
        const done = batch.slice(0, read.value.length);
        for (const [at, index] of done.entries()) found[index] = read.value[at] ?? null;
        if (done.length > 0 && done.length < batch.length) waiting.push(batch.slice(done.length));
      } else if (batch.length > 1) {
        const size = Math.ceil(batch.length / SPLIT);
        for (const part of batchesOf(batch, () => 1, { size })) waiting.push(part);
      }
    }
    return found;
  };
}

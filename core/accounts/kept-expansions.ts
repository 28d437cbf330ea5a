import type { Expansion } from '../calendar/event.ts';
import { type AccountCache, accountCache } from './account-cache.ts';
import type { Expansions } from './read-range.ts';

/**
 * What lists have found in the objects of calendars, in memory, so that the next page, and the next list of the same
 * range, only reads the objects that have changed.
 */
export type KeptExpansions = AccountCache<Expansions>;

/** About 100,000 events. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of an object and of an event that are kept, besides their texts, which take two bytes a character. */
const OBJECT_BYTES = 300;
const EVENT_BYTES = 500;

export function keptExpansions(mostBytes = MOST_BYTES): KeptExpansions {
  return accountCache(mostBytes, bytesOf);
}

/** What to keep of a list: all that was read to its end. Another attempt may read more of the rest. */
export function expansionsOf(objects: readonly string[], found: readonly (Expansion | null)[]): Expansions {
  const kept = new Map<string, Expansion>();
  for (const [index, ics] of objects.entries()) {
    const one = found[index];
    if (one && !one.cut) kept.set(ics, one);
  }
  return kept;
}

function bytesOf(expansions: Expansions): number {
  let bytes = 0;
  for (const [ics, { events }] of expansions) {
    bytes += OBJECT_BYTES + 2 * ics.length;
    for (const { uid, title, organizer } of events) {
      const chars =
        uid.length + title.length + (organizer?.address.length ?? 0) + (organizer?.name.length ?? 0);
      bytes += EVENT_BYTES + 2 * chars;
    }
  }
  return bytes;
}

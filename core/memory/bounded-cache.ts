import { ownCopy } from './own-copy.ts';

/**
 * Values kept in memory for later use. Bounded in bytes for all of them together: what was not used for the longest time
 * is dropped.
 */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  /** Replaces the value of the key, and counts it anew. One that takes more than all of the cache may is not kept. */
  set(key: string, value: V): void;
  /** Drops every value whose key starts with this. */
  forget(start: string): void;
}

/** What an entry takes besides its key and its value. */
const ENTRY_BYTES = 200;

/**
 * @param mostBytes  with the keys and what is around them
 * @param bytesOf  the memory of a value, with two bytes a character. Its texts are its own: see `ownCopy`
 */
export function boundedCache<V>(mostBytes: number, bytesOf: (value: V) => number): BoundedCache<V> {
  // In the order of their use.
  const entries = new Map<string, { readonly key: string; readonly value: V; readonly bytes: number }>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      // The key of this call may be cut out of a larger text.
      entries.set(found.key, found);
      return found.value;
    },
    set(key, value) {
      drop(key);
      const size = ENTRY_BYTES + 2 * key.length + bytesOf(value);
      if (size > mostBytes) return;
      const own = ownCopy(key);
      entries.set(own, { key: own, value, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
    forget(start) {
      for (const key of entries.keys()) if (key.startsWith(start)) drop(key);
    },
  };
}

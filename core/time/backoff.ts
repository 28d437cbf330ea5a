import { ownCopy } from '../memory/own-copy.ts';

/** Postpones the next try after a failure: twice as long after each failure in a row. Pure. */
export interface Backoff {
  isDue(key: string, now: Date): boolean;
  /** How many keys failed the last time. */
  count(): number;
  /** Failures in a row. */
  failures(key: string): number;
  succeeded(key: string): void;
  failed(key: string, now: Date): void;
}

/** An agent can add many trackers that fail. The one that failed longest ago is forgotten first. */
const KEPT = 10_000;

export function createBackoff(firstMs: number, mostMs: number): Backoff {
  const failed = new Map<string, { readonly count: number; readonly until: number }>();
  return {
    isDue: (key, now) => now.getTime() >= (failed.get(key)?.until ?? 0),
    count: () => failed.size,
    failures: (key) => failed.get(key)?.count ?? 0,
    succeeded: (key) => {
      failed.delete(key);
    },
    failed(key, now) {
      const count = (failed.get(key)?.count ?? 0) + 1;
      failed.delete(key);
      if (failed.size >= KEPT) {
        const [longestAgo] = failed.keys();
        if (longestAgo !== undefined) failed.delete(longestAgo);
      }
      failed.set(ownCopy(key), {
        count,
        until: now.getTime() + Math.min(mostMs, firstMs * 2 ** (count - 1)),
      });
    },
  };
}

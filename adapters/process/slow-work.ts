import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';

/** Remembers work that used up its time, so that nobody can have it done again and again. */
export interface SlowWork {
  has(work: unknown, bytes: number): boolean;
  /** @param bytes  of the work; only work of the same size is compared */
  add(work: unknown, bytes: number): void;
}

const KEPT_MS = 60 * 60 * 1000;
const KEPT_MAX = 1000;

/** @param nowMs  a clock that never goes back */
export function slowWork(nowMs: () => number = () => performance.now()): SlowWork {
  /** By size and hash, oldest first. */
  const known = new Map<string, { readonly bytes: number; readonly untilMs: number }>();

  function forget(): void {
    for (const [key, { untilMs }] of known) {
      if (untilMs > nowMs() && known.size <= KEPT_MAX) return;
      known.delete(key);
    }
  }

  return {
    has(work, bytes) {
      if (known.size === 0) return false;
      forget();
      for (const one of known.values()) if (one.bytes === bytes) return known.has(hashOf(work));
      return false;
    },
    add(work, bytes) {
      const key = hashOf(work);
      known.delete(key);
      known.set(key, { bytes, untilMs: nowMs() + KEPT_MS });
      forget();
    },
  };
}

function hashOf(work: unknown): string {
  return createHash('sha256').update(serialize(work)).digest('base64');
}

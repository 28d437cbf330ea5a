import { readFileSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod';

export const loopDelay = z.object({
  /** The longest that the event loop stood still. */
  stoodMs: z.number(),
  /** The same without the time in which its thread waited for a processor. */
  ranMs: z.number(),
});
export type LoopDelay = z.infer<typeof loopDelay>;

const EVERY_MS = 2;

/** Watches the event loop of this process. @returns a function that returns what was measured since it was called last */
export function watchDelay(): () => LoopDelay {
  let longest = { stoodMs: 0, ranMs: 0 };
  let before = instant();
  setInterval(() => {
    const now = instant();
    const stoodMs = Math.max(0, now.ms - before.ms - EVERY_MS);
    const ranMs = Math.max(0, stoodMs - (now.waitedMs - before.waitedMs));
    before = now;
    longest = { stoodMs: Math.max(longest.stoodMs, stoodMs), ranMs: Math.max(longest.ranMs, ranMs) };
  }, EVERY_MS).unref();
  return () => {
    const measured = longest;
    longest = { stoodMs: 0, ranMs: 0 };
    before = instant();
    return measured;
  };
}

/** Linux counts how long a thread could have run while others did: the second number, in nanoseconds. */
function instant(): { readonly ms: number; readonly waitedMs: number } {
  const [, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return { ms: performance.now(), waitedMs: Number(waitedNs) / 1e6 };
}

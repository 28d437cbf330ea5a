import { readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import * as z from 'zod';

export const loopDelay = z.object({
  /** The longest that the event loop stood still. */
  stoodMs: z.number(),
  /** The longest without the time in which its thread waited for a processor. */
  ranMs: z.number(),
  /** The longest that its thread computed meanwhile: the rest is waiting for the disk, or for other threads. */
  computedMs: z.number(),
  /** The longest collection of garbage. */
  collectedMs: z.number(),
});
export type LoopDelay = z.infer<typeof loopDelay>;

const EVERY_MS = 2;
const NONE: LoopDelay = { stoodMs: 0, ranMs: 0, computedMs: 0, collectedMs: 0 };

/** Watches the event loop of this process. @returns a function that returns what was measured since it was called last */
export function watchDelay(): () => LoopDelay {
  let longest = NONE;
  let before = instant();
  setInterval(() => {
    const now = instant();
    const stoodMs = Math.max(0, now.ms - before.ms - EVERY_MS);
    const ranMs = Math.max(0, stoodMs - (now.waitedMs - before.waitedMs));
    const computedMs = now.computedMs - before.computedMs;
    before = now;
    longest = {
      ...longest,
      stoodMs: Math.max(longest.stoodMs, stoodMs),
      ranMs: Math.max(longest.ranMs, ranMs),
      computedMs: Math.max(longest.computedMs, computedMs),
    };
  }, EVERY_MS).unref();
  new PerformanceObserver((collections) => {
    const collectedMs = Math.max(longest.collectedMs, ...collections.getEntries().map((one) => one.duration));
    longest = { ...longest, collectedMs };
  }).observe({ entryTypes: ['gc'] });
  return () => {
    const measured = longest;
    longest = NONE;
    before = instant();
    return measured;
  };
}

/** Linux counts how long a thread has run, and how long it could have run while others did, in nanoseconds. */
function instant() {
  const [computedNs, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(
    ' ',
  );
  return { ms: performance.now(), waitedMs: Number(waitedNs) / 1e6, computedMs: Number(computedNs) / 1e6 };
}

import type { Clock } from '../../../core/ports/clock.ts';

const START = Date.parse('2026-11-22T12:00:00Z');

/** A clock that does not move until the test moves it. */
export function handClock() {
  const timers = new Set<{ atMs: number; everyMs: number | undefined; task: () => void }>();
  let nowMs = START;
  const add = (ms: number, everyMs: number | undefined, task: () => void) => {
    const timer = { atMs: nowMs + ms, everyMs, task };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const clock: Clock = {
    now: () => new Date(nowMs),
    every: (ms, task) => add(ms, ms, task),
    after: (ms, task) => add(ms, undefined, task),
  };
  return {
    clock,
    timers,
    nowMs: () => nowMs - START,
    /** Runs what is due until `ms` after the start, and what follows from it. */
    async moveTo(ms: number): Promise<void> {
      for (;;) {
        const due = [...timers].sort((a, b) => a.atMs - b.atMs)[0];
        if (due === undefined || due.atMs > START + ms) break;
        nowMs = due.atMs;
        if (due.everyMs === undefined) timers.delete(due);
        else due.atMs += due.everyMs;
        due.task();
        await settled();
      }
      nowMs = START + ms;
    },
  };
}

/** Resolves when everything that was ready has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

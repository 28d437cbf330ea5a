import type { Clock } from '../core/ports/clock.ts';
import { systemClock } from '../hosts/embedded/system-clock.ts';

const TIMES = 20;

/** A clock that is twenty times slower: what has a second has it also on a machine that is busy. */
export function slowClock(): Clock {
  const begunMs = Date.now();
  return {
    now: () => new Date(begunMs + (Date.now() - begunMs) / TIMES),
    every: (ms, task) => systemClock.every(ms * TIMES, task),
    after: (ms, task) => systemClock.after(ms * TIMES, task),
  };
}

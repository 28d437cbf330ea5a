import type { Clock } from '../../core/ports/clock.ts';

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  every(ms, task) {
    const timer = setInterval(task, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

import type { Clock } from '../../core/ports/clock.ts';

/** This machine's clock. */
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

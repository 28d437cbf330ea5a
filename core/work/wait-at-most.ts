import type { Clock } from '../ports/clock.ts';

/** Waits for the work, at most `ms`. The work goes on. @returns undefined if the time was over first */
export async function waitAtMost<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  let removeTimer = (): void => {};
  const timedOut = new Promise<undefined>((resolve) => {
    removeTimer = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    removeTimer();
  }
}

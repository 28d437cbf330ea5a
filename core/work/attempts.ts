import type { Clock } from '../ports/clock.ts';

/** Attempts to reach other servers that run side by side, until a stop interrupts them. */
export interface Attempts {
  /** Runs one with a signal of its own: Node warns if more than ten listen to one. */
  run<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T>;
  isInterrupted(): boolean;
  /** Interrupts those that still run after `graceMs`, and all that start later. @returns calls it off */
  interruptAfter(graceMs: number): () => void;
}

export function createAttempts(clock: Clock): Attempts {
  const running = new Set<AbortController>();
  let isInterrupted = false;
  return {
    async run(attempt) {
      const abort = new AbortController();
      if (isInterrupted) abort.abort();
      running.add(abort);
      try {
        return await attempt(abort.signal);
      } finally {
        running.delete(abort);
      }
    },
    isInterrupted: () => isInterrupted,
    interruptAfter: (graceMs) =>
      clock.after(graceMs, () => {
        isInterrupted = true;
        for (const abort of running) abort.abort();
      }),
  };
}

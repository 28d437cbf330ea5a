import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';

/** Work that is repeated, never twice at a time. */
export interface BackgroundRound {
  /** Starts now, and then at regular intervals. */
  start(): void;
  /** @returns resolves when the current round has ended */
  stop(): Promise<void>;
}

/**
 * @param name  the name of the work in measurements
 * @param everyMs  from one start to the next; a longer round is not interrupted
 */
export function backgroundRound(
  name: string,
  work: () => Promise<void>,
  everyMs: number,
  { clock, log, workObserver }: Pick<Ports, 'clock' | 'log' | 'workObserver'>,
): BackgroundRound {
  let stopTimer: (() => void) | undefined;
  let underWay: Promise<void> | undefined;

  async function observed(): Promise<void> {
    const ended = workObserver?.began(name);
    try {
      await work();
    } finally {
      ended?.();
    }
  }

  function begin(): void {
    underWay ??= observed()
      .catch((error: unknown) => {
        log.error('a round of background work failed', errorName(error));
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  return {
    start() {
      if (stopTimer !== undefined) return;
      stopTimer = clock.every(everyMs, begin);
      begin();
    },
    async stop() {
      stopTimer?.();
      stopTimer = undefined;
      await underWay;
    },
  };
}

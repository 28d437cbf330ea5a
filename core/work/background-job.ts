import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';

/** Work that is repeated, never twice at a time. */
export interface BackgroundJob {
  /** Starts the first round now, and then one at regular intervals. */
  start(): void;
  /** Starts a round now or, if one is running, right after it. Does nothing before `start` and after `stop`. */
  wake(): void;
  /** @returns resolves when the current round has ended */
  stop(): Promise<void>;
}

/**
 * @param name  the name of the work in measurements
 * @param everyMs  from one start to the next; a longer round is not interrupted
 */
export function backgroundJob(
  name: string,
  work: () => Promise<void>,
  everyMs: number,
  { clock, log, workObserver }: Pick<Ports, 'clock' | 'log' | 'workObserver'>,
): BackgroundJob {
  let stopTimer: (() => void) | undefined;
  let underWay: Promise<void> | undefined;
  let isWoken = false;

  async function observed(): Promise<void> {
    const ended = workObserver?.began(name);
    try {
      await work();
    } finally {
      ended?.();
    }
  }

  function begin(): void {
    isWoken = false;
    underWay = observed()
      .catch((error: unknown) => {
        log.error('a round of background work failed', { work: name, ...errorName(error) });
      })
      .finally(() => {
        underWay = undefined;
        if (isWoken && stopTimer !== undefined) begin();
      });
  }

  return {
    start() {
      if (stopTimer !== undefined) return;
      stopTimer = clock.every(everyMs, () => {
        if (underWay === undefined) begin();
      });
      begin();
    },
    wake() {
      isWoken = true;
      if (underWay === undefined && stopTimer !== undefined) begin();
    },
    async stop() {
      stopTimer?.();
      stopTimer = undefined;
      await underWay;
    },
  };
}

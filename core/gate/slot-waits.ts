import type { Clock } from '../ports/clock.ts';

/** Calls that wait until their key has one call fewer in flight. */
export interface SlotWaits {
  /**
   * Waits for its turn, and tries again and again, for WAIT_MS at most.
   * @param again  undefined: the key is still busy
   * @param gone  the caller has disconnected
   * @returns undefined if there was no slot, or too many calls of the key wait already
   */
  wait<T>(
    credentialId: string,
    again: () => Promise<T | undefined>,
    gone: AbortSignal | undefined,
  ): Promise<T | undefined>;
  /** A call of this key has ended. */
  ended(credentialId: string): void;
}

interface Waiter {
  /** Undefined: it is not asleep. */
  wake?: (() => void) | undefined;
  isOver: boolean;
}

/** Of one key. */
const WAITERS_MAX = 8;
const WAIT_MS = 5000;
/** A call may end in another process. */
const LOOK_MS = 250;

export function createSlotWaits(clock: Pick<Clock, 'after'>): SlotWaits {
  /** By key, the first come first. */
  const waiting = new Map<string, Waiter[]>();

  function sleep(waiter: Waiter): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        stopTimer();
        waiter.wake = undefined;
        resolve();
      };
      const stopTimer = clock.after(LOOK_MS, wake);
      waiter.wake = wake;
    });
  }

  return {
    async wait(credentialId, again, gone) {
      const waiters = waiting.get(credentialId) ?? [];
      if (waiters.length >= WAITERS_MAX || gone?.aborted === true) return undefined;
      const waiter: Waiter = { isOver: false };
      waiters.push(waiter);
      waiting.set(credentialId, waiters);
      const end = () => {
        waiter.isOver = true;
        waiter.wake?.();
      };
      const stopTimer = clock.after(WAIT_MS, end);
      gone?.addEventListener('abort', end);
      try {
        while (!waiter.isOver) {
          await sleep(waiter);
          if (waiter.isOver) return undefined;
          const answer = await again();
          if (answer !== undefined) return answer;
        }
        return undefined;
      } finally {
        stopTimer();
        gone?.removeEventListener('abort', end);
        waiters.splice(waiters.indexOf(waiter), 1);
        if (waiters.length === 0) waiting.delete(credentialId);
      }
    },
    ended(credentialId) {
      waiting
        .get(credentialId)
        ?.find(({ wake }) => wake !== undefined)
        ?.wake?.();
    },
  };
}

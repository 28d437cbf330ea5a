import type { Clock } from '../ports/clock.ts';

/** How long a caller waits: for a direct write, for a mailbox, and for a port that has no shorter limit. */
export const WAIT_MS = 25_000;

/** How long an adapter may take after its limit, so that it can say itself what it knows of the end. */
export const GRACE_MS = 500;

/**
 * Does work that ends after `ms`.
 * @param work  can request a signal, which is only then created: most work calls nothing that could be ended
 */
export async function endedAfter<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: (signal: () => AbortSignal) => Promise<T>,
): Promise<T> {
  let abort: AbortController | undefined;
  const begun = () => {
    abort ??= new AbortController();
    return abort;
  };
  const stop = clock.after(ms, () => begun().abort());
  try {
    return await work(() => begun().signal);
  } finally {
    stop();
  }
}

/** What ends the work of a port. */
export interface Limit {
  readonly signal?: AbortSignal;
  /** From its start, or from the end of the last pause. Infinity: only the signal ends it. */
  readonly ms: number;
}

/**
 * Stops the time while core itself works for a port, as in the visit of an inbox.
 * @returns starts it again @throws Error if the limit is over: then there is nothing to do any more
 */
export type Pause = () => () => void;

/**
 * Waits for the work of a port, but not much beyond its limit, whatever the adapter does. What comes later is dropped.
 * @param over  gives the answer when GRACE_MS after the limit are over, or throws
 */
export async function withinLimit<T>(
  clock: Pick<Clock, 'after'>,
  limit: Limit,
  work: (pause: Pause) => Promise<T>,
  over: () => T,
): Promise<T> {
  const { signal } = limit;
  let isPaused = false;
  let isReached = false;
  let hasEnded = false;
  let stopTimer = (): void => {};
  let expire = (): void => {};
  const expired = new Promise<typeof EXPIRED>((resolve) => {
    expire = () => {
      hasEnded = true;
      resolve(EXPIRED);
    };
  });
  const reach = () => {
    if (isReached) return;
    isReached = true;
    run();
  };
  const run = () => {
    stopTimer();
    if (isPaused || hasEnded) return;
    try {
      if (isReached) stopTimer = clock.after(GRACE_MS, expire);
      else if (limit.ms !== Number.POSITIVE_INFINITY) stopTimer = clock.after(limit.ms, reach);
    } catch {
      // The service has stopped, and its clock with it: no time is left.
      expire();
    }
  };
  const pause = () => {
    if (hasEnded) throw new Error('An adapter went on after the end of its call.');
    isPaused = true;
    stopTimer();
    return () => {
      isPaused = false;
      run();
    };
  };
  if (signal?.aborted === true) isReached = true;
  const unheard = signal && onAbort(signal, reach);
  try {
    run();
    const answer = await Promise.race([work(pause), expired]);
    return answer === EXPIRED ? over() : answer;
  } finally {
    hasEnded = true;
    stopTimer();
    unheard?.();
  }
}

const EXPIRED = Symbol('expired');

/**
 * What runs on an abort, by signal. A signal gets one listener from here, because Node warns if it has more than ten.
 */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** @returns stops listening */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const known = listeners.get(signal);
  const heard = known ?? new Set<() => void>();
  heard.add(listener);
  if (known === undefined) {
    listeners.set(signal, heard);
    const tellAll = () => {
      for (const one of heard) one();
    };
    signal.addEventListener('abort', tellAll, { once: true });
  }
  return () => void heard.delete(listener);
}

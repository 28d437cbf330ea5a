import { type MailCall, timedOut } from '../../core/ports/mail.ts';

/** What ends the work: the caller's signal, or the time limit. */
export interface Limit {
  readonly signal: AbortSignal;
  readonly ms: number;
}

/**
 * Runs `work` with a signal that aborts when `signal` does or after `ms`, whichever comes first. Removes the timer and
 * the listener once `work` has settled.
 *
 * Uses its own timer and controller: on Node 20 a combined `AbortSignal.any`/`AbortSignal.timeout` can be
 * garbage-collected while something waits for it, and then never fires.
 * @param work  `restart` starts the time limit again from now
 */
export async function withTimeLimit<T>(
  { signal, ms }: Limit,
  work: (limit: AbortSignal, restart: (ms: number) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(signal.reason);
  const expire = () => controller.abort(new DOMException('The time limit was reached', 'TimeoutError'));
  let timer = setTimeout(expire, Math.max(0, Math.ceil(ms)));
  const restart = (freshMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, freshMs);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  try {
    return await work(controller.signal, restart);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Runs the work of one call until its deadline or until the caller aborts. */
export function withinCall<T>(
  { signal, deadlineMs }: Pick<MailCall, 'signal' | 'deadlineMs'>,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  return withTimeLimit({ signal, ms: deadlineMs }, work);
}

/**
 * Waits for `work`, but not beyond `limit`.
 * @param stop  makes `work` end; called when the limit is reached
 * @throws MailError `unavailable` at the limit; otherwise whatever `work` throws
 */
export async function raceLimit<T>(limit: AbortSignal, work: Promise<T>, stop: () => void): Promise<T> {
  let onAbort = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      stop();
      reject(timedOut());
    };
  });
  // Nobody waits for the one that settles second.
  work.catch(() => undefined);
  over.catch(() => undefined);
  if (limit.aborted) onAbort();
  else limit.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([over, work]);
  } finally {
    limit.removeEventListener('abort', onAbort);
  }
}

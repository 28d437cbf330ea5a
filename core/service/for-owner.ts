import { WAIT_MS } from '../accounts/within-limit.ts';
import type { Clock } from '../ports/clock.ts';
import { refusalOf } from './refusal-of.ts';

/**
 * Does for a page of the owner what needs a mailbox or a calendar, and ends it after `WAIT_MS`.
 * @throws ServiceError
 */
export async function forOwner<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const stop = clock.after(WAIT_MS, () => abort.abort());
  try {
    return await work(abort.signal);
  } catch (error) {
    throw refusalOf(error);
  } finally {
    stop();
  }
}

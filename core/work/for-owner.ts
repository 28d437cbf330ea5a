import type { Clock } from '../ports/clock.ts';
import { refusalOf } from './refusal-of.ts';
import { endedAfter, WAIT_MS } from './within-limit.ts';

/**
 * Does for a page of the owner what needs a mailbox or a calendar, and ends it after `WAIT_MS`.
 * @throws ServiceError
 */
export async function forOwner<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await endedAfter(clock, WAIT_MS, (signal) => work(signal()));
  } catch (error) {
    throw refusalOf(error);
  }
}

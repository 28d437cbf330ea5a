import { ServiceError } from '../contract/errors.ts';
import { addressGroup } from './address-group.ts';
import { type Rate, takeFromWindow, type Window } from './limits.ts';

/** Calls per minute of each address group, in memory. For callers without a key and for password tries. */
export interface AddressBudget {
  take(address: string, now: Date): { readonly within: boolean; readonly rate: Rate };
  /** The same. @throws ServiceError rate_limited over the limit */
  spend(address: string, now: Date): void;
}

/** Each key has at most 43 characters, so all windows together stay under 2 MB. */
const WINDOWS_MAX = 10_000;

export function createAddressBudget(limit: number): AddressBudget {
  // Ordered by the start of their window.
  const windows = new Map<string, Window>();

  function take(address: string, now: Date): { readonly within: boolean; readonly rate: Rate } {
    const group = addressGroup(address);
    const before = windows.get(group);
    const { window, rate, within } = takeFromWindow(before, limit, now);
    if (window.startedAtMs !== before?.startedAtMs) windows.delete(group);
    windows.set(group, window);
    if (windows.size > WINDOWS_MAX) forgetOldest(windows);
    return { within, rate };
  }

  return {
    take,
    spend(address, now) {
      const { within, rate } = take(address, now);
      if (!within) throw new ServiceError('rate_limited', { details: { retry_after_s: rate.resetS } });
    },
  };
}

function forgetOldest(windows: Map<string, Window>): void {
  const [oldest] = windows.keys();
  if (oldest !== undefined) windows.delete(oldest);
}

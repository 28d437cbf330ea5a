import { addressGroup } from './address-group.ts';
import { type Rate, takeFromWindow, type Window } from './limits.ts';

/** Calls a minute from each address group, kept in memory: for callers without a key, and for tries at a password. */
export interface AddressBudget {
  take(address: string, now: Date): { readonly within: boolean; readonly rate: Rate };
}

/** Each window has a key of at most 43 characters, so all of them together stay under 2 MB. */
const KEPT = 10_000;

export function createAddressBudget(limit: number): AddressBudget {
  // In the order in which the windows began.
  const windows = new Map<string, Window>();
  return {
    take(address, now) {
      const group = addressGroup(address);
      const before = windows.get(group);
      const { window, rate, within } = takeFromWindow(before, limit, now);
      if (window.startedAtMs !== before?.startedAtMs) windows.delete(group);
      windows.set(group, window);
      if (windows.size > KEPT) forgetOldest(windows);
      return { within, rate };
    },
  };
}

function forgetOldest(windows: Map<string, Window>): void {
  const [oldest] = windows.keys();
  if (oldest !== undefined) windows.delete(oldest);
}

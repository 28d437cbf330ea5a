import { MINUTE_MS, type Rate, takeFromWindow, type Window } from './limits.ts';

/** Calls a minute from each address, kept in memory: for those who hold no key, and for tries at signing in. */
export interface AddressBudget {
  take(address: string, now: Date): { readonly within: boolean; readonly rate: Rate };
}

const KEPT = 10_000;

export function createAddressBudget(limit: number): AddressBudget {
  const windows = new Map<string, Window>();
  return {
    take(address, now) {
      const { window, rate, within } = takeFromWindow(windows.get(address), limit, now);
      if (windows.size >= KEPT && !windows.has(address)) forgetSome(windows, now);
      windows.set(address, window);
      return { within, rate };
    },
  };
}

/** Windows that have ended; if none has, the oldest ones, so that strangers cannot fill the memory. */
function forgetSome(windows: Map<string, Window>, now: Date): void {
  for (const [address, window] of windows) {
    if (window.startedAtMs + MINUTE_MS <= now.getTime()) windows.delete(address);
  }
  for (const address of windows.keys()) {
    if (windows.size < KEPT) return;
    windows.delete(address);
  }
}

import { vi } from 'vitest';
import { HANG_MS } from './hang.ts';

interface Waiting {
  readonly intervalMs?: number;
}

/** Waits until the assertions hold. @throws the last failure if they never do */
export function eventually<T>(
  assertions: () => T | Promise<T>,
  { intervalMs = 50 }: Waiting = {},
): Promise<T> {
  return vi.waitFor(assertions, { timeout: HANG_MS, interval: intervalMs });
}

/** Waits until the condition is truthy. @returns its value */
export function until<T>(condition: () => T | Promise<T>, { intervalMs = 50 }: Waiting = {}) {
  return vi.waitUntil(condition, { timeout: HANG_MS, interval: intervalMs });
}

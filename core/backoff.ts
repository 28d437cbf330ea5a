/** What failed is left alone for a while: twice as long after each failure in a row. Pure. */
export interface Backoff {
  isDue(key: string, now: Date): boolean;
  succeeded(key: string): void;
  failed(key: string, now: Date): void;
}

export function createBackoff(firstMs: number, mostMs: number): Backoff {
  const failures = new Map<string, { readonly waitMs: number; readonly until: number }>();
  return {
    isDue: (key, now) => now.getTime() >= (failures.get(key)?.until ?? 0),
    succeeded: (key) => {
      failures.delete(key);
    },
    failed(key, now) {
      const waitMs = Math.min(mostMs, (failures.get(key)?.waitMs ?? firstMs / 2) * 2);
      failures.set(key, { waitMs, until: now.getTime() + waitMs });
    },
  };
}

/** Failed tries at a secret. */
export interface FailedTries {
  readonly failures: number;
  /** When the last failure was counted. */
  readonly lastMs: number;
}

/** How failed tries slow down the next one. */
export interface Backoff {
  /** Failures without a wait. */
  readonly free: number;
  /** The wait after the first failure that is not free. It doubles with each further one. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** The time after which one failure is forgotten. */
  readonly forgetMs: number;
}

/** Returns the tries without the failures that are forgotten by now. A time in the future is moved to now. */
export function decayedTries(backoff: Backoff, tries: FailedTries | undefined, nowMs: number): FailedTries {
  const { failures, lastMs } = tries ?? { failures: 0, lastMs: nowMs };
  if (lastMs > nowMs) return { failures, lastMs: nowMs };
  const forgotten = Math.floor((nowMs - lastMs) / backoff.forgetMs);
  return { failures: Math.max(0, failures - forgotten), lastMs };
}

/** Returns the time until the next try. 0: it may happen now. */
export function waitAfterTries(backoff: Backoff, tries: FailedTries | undefined, nowMs: number): number {
  const { failures, lastMs } = decayedTries(backoff, tries, nowMs);
  const { free, firstMs, mostMs } = backoff;
  if (failures < free) return 0;
  return Math.max(0, lastMs + Math.min(mostMs, firstMs * 2 ** (failures - free)) - nowMs);
}

/** Counts one more failure. */
export function failedOnce(backoff: Backoff, tries: FailedTries | undefined, nowMs: number): FailedTries {
  const { failures } = decayedTries(backoff, tries, nowMs);
  return { failures: Math.min(failureCap(backoff), failures + 1), lastMs: nowMs };
}

/** Failures beyond this are not counted: the wait is already the longest. */
export function failureCap({ free, firstMs, mostMs }: Backoff): number {
  return free + Math.ceil(Math.log2(mostMs / firstMs));
}

/** From then on all of the failures are forgotten. */
export function forgottenAtMs({ forgetMs }: Backoff, { failures, lastMs }: FailedTries): number {
  return lastMs + failures * forgetMs;
}

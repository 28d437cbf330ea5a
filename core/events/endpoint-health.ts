import { DAY_MS } from '../time/durations.ts';
import { type AttemptEnd, isSuccess } from './delivery.ts';

/** Decides when an endpoint is disabled automatically. Pure. */

export const FAILING_MS = 5 * DAY_MS;
const GONE = 410;

/** `gone`: it returned 410. `failing`: nothing was delivered for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface EndpointHealth {
  /** When the first failed attempt since the last success ended. Null if there is none. */
  readonly failingSinceMs: number | null;
  readonly disabled: DisabledReason | null;
}

export const HEALTHY: EndpointHealth = { failingSinceMs: null, disabled: null };

/** Returns an endpoint's health after one more attempt. A disabled endpoint stays so until its owner enables it. */
export function healthAfter(health: EndpointHealth, end: AttemptEnd, nowMs: number): EndpointHealth {
  if (health.disabled !== null || end.kind === 'interrupted') return health;
  if (isSuccess(end)) return HEALTHY;
  const failingSinceMs = Math.min(health.failingSinceMs ?? nowMs, nowMs);
  if (end.kind === 'answered' && end.status === GONE) return { failingSinceMs, disabled: 'gone' };
  return { failingSinceMs, disabled: nowMs - failingSinceMs >= FAILING_MS ? 'failing' : null };
}

import { DAY_MS } from '../time/durations.ts';
import { type AttemptEnd, isSuccess } from './delivery.ts';

/** When an endpoint is switched off by itself. Pure. Source: API-NOTES.md, endpoint disabled. */

const FAILING_MS = 5 * DAY_MS;
const GONE = 410;

/** `gone`: it answered 410. `failing`: nothing was delivered for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface EndpointHealth {
  /** When the first attempt since the last success failed; null if none did. */
  readonly failingSinceMs: number | null;
  readonly disabled: DisabledReason | null;
}

export const HEALTHY: EndpointHealth = { failingSinceMs: null, disabled: null };

/** The health of an endpoint after one more attempt. One that is off stays off until its owner switches it on. */
export function healthAfter(health: EndpointHealth, end: AttemptEnd, nowMs: number): EndpointHealth {
  if (health.disabled !== null) return health;
  if (isSuccess(end)) return HEALTHY;
  const failingSinceMs = Math.min(health.failingSinceMs ?? nowMs, nowMs);
  if (end.kind === 'answered' && end.status === GONE) return { failingSinceMs, disabled: 'gone' };
  return { failingSinceMs, disabled: nowMs - failingSinceMs >= FAILING_MS ? 'failing' : null };
}

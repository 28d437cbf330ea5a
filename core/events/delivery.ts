import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';

/** The delivery machine: decides when and how often one event is posted to one endpoint. Pure. */

/** From the end of one attempt to the start of the next. The first attempt starts at once. */
export const DELAYS_MS = [
  MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  5 * HOUR_MS,
  16 * HOUR_MS + 50 * MINUTE_MS,
] as const;

export const ATTEMPTS_MAX = DELAYS_MS.length + 1;

/** A receiver has this long to answer an attempt. */
export const ATTEMPT_MS = 10_000;

/** The longest `Retry-After` that counts. A longer one is shortened to this. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/**
 * No attempt and no lease lies further ahead than this. If one does, the store's clock was set back: the attempt is due
 * now.
 */
export const WAIT_MAX_MS = RETRY_AFTER_MAX_MS;

export const DELIVERY_STATES = [
  /** An attempt is due at `dueMs`, or is running until `leaseUntilMs`. */
  'waiting',
  'delivered',
  /** Every attempt failed. */
  'failed',
  /** It must not be sent anymore: its endpoint, key or permission was switched off, or its account removed. */
  'dropped',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly state: DeliveryState;
  /** Attempts that were started: 0 to ATTEMPTS_MAX. */
  readonly attempts: number;
  /** When the next attempt is due, by the store's clock. */
  readonly dueMs: number;
  /** Increases with each attempt. An attempt whose lease has ended can no longer record its result. */
  readonly fence: number;
  /** By the store's clock. 0: no attempt is running. */
  readonly leaseUntilMs: number;
}

/** How an attempt ended. Only a 2xx within the time limit is a success. Redirects are not followed. */
export type AttemptEnd =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** From the header `Retry-After`. Null if it is missing or invalid. */
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'unanswered' }
  /** The process stopped before the receiver answered. */
  | { readonly kind: 'interrupted' };

export type DeliveryEvent =
  /** An attempt starts. */
  | { readonly type: 'attempt'; readonly leaseMs: number }
  /** @param jitter 0 to 1, from the random source */
  | { readonly type: 'end'; readonly fence: number; readonly end: AttemptEnd; readonly jitter: number }
  | { readonly type: 'drop' };

export function newDelivery(nowMs: number): Delivery {
  return { state: 'waiting', attempts: 0, dueMs: nowMs, fence: 0, leaseUntilMs: 0 };
}

/**
 * Returns the delivery after the event. Undefined if the event changes nothing.
 *
 * An attempt whose process died counts, because the receiver may have seen it. Once its lease has ended, the next
 * attempt starts at once.
 */
export function deliveryAfter(delivery: Delivery, event: DeliveryEvent, nowMs: number): Delivery | undefined {
  if (delivery.state !== 'waiting') return undefined;
  switch (event.type) {
    case 'attempt': {
      if (!isDue(delivery, nowMs)) return undefined;
      if (delivery.attempts >= ATTEMPTS_MAX) return { ...delivery, state: 'failed', leaseUntilMs: 0 };
      return {
        ...delivery,
        attempts: delivery.attempts + 1,
        fence: delivery.fence + 1,
        leaseUntilMs: nowMs + event.leaseMs,
      };
    }
    case 'end': {
      if (event.fence !== delivery.fence || delivery.leaseUntilMs === 0) return undefined;
      const ended = { ...delivery, leaseUntilMs: 0 };
      // It does not count, so that restarts do not use up the attempts. Another process can repeat it at once.
      if (event.end.kind === 'interrupted') return { ...ended, attempts: delivery.attempts - 1 };
      if (isSuccess(event.end)) return { ...ended, state: 'delivered' };
      const delayMs = DELAYS_MS[delivery.attempts - 1];
      if (delayMs === undefined) return { ...ended, state: 'failed' };
      return { ...ended, dueMs: nowMs + waitMs(delayMs, event) };
    }
    case 'drop':
      return { ...delivery, state: 'dropped', leaseUntilMs: 0 };
  }
}

/** Whether an attempt can start. */
function isDue({ dueMs, leaseUntilMs }: Delivery, nowMs: number): boolean {
  const isFree = leaseUntilMs <= nowMs || leaseUntilMs > nowMs + WAIT_MAX_MS;
  return isFree && (dueMs <= nowMs || dueMs > nowMs + WAIT_MAX_MS);
}

export function isSuccess(end: AttemptEnd): boolean {
  return end.kind === 'answered' && end.status >= 200 && end.status < 300;
}

/** Shifts the schedule by up to a tenth, so that receivers that failed together are not retried together. */
function waitMs(
  delayMs: number,
  { end, jitter }: { readonly end: AttemptEnd; readonly jitter: number },
): number {
  const scheduledMs = Math.round(delayMs * (0.9 + 0.2 * jitter));
  const askedMs = end.kind === 'answered' ? (end.retryAfterMs ?? 0) : 0;
  return Math.max(scheduledMs, Math.min(askedMs, RETRY_AFTER_MAX_MS));
}

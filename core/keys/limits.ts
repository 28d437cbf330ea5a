import { MINUTE_MS } from '../time/durations.ts';
import type { Plan } from './permissions.ts';

/** Every number of a plan. */
export interface Limits {
  readonly callsPerMinute: number;
  /** Of all the owner's keys together, per UTC day. */
  readonly callsPerDay: number;
  /** Requests filed as pending, per key and UTC day. */
  readonly filedPerDay: number;
  readonly waitingPerKey: number;
  readonly waitingPerOwner: number;
  readonly messagesPerBulk: number;
  readonly concurrentCalls: number;
  readonly webhookEndpoints: number;
  /** Sends that a key may run directly, in 24 hours and in 10 minutes. */
  readonly directSendsPerDay: number;
  readonly directSendsPer10Min: number;
}

export type LimitOverrides = { readonly [name in keyof Limits]?: number };

export const PLAN_LIMITS: Readonly<Record<Plan, Limits>> = {
  free: {
    callsPerMinute: 20,
    callsPerDay: 200,
    filedPerDay: 10,
    waitingPerKey: 3,
    waitingPerOwner: 3,
    messagesPerBulk: 25,
    concurrentCalls: 2,
    webhookEndpoints: 1,
    directSendsPerDay: 20,
    directSendsPer10Min: 5,
  },
  paid: {
    callsPerMinute: 60,
    callsPerDay: 5000,
    filedPerDay: 100,
    waitingPerKey: 10,
    waitingPerOwner: 25,
    messagesPerBulk: 50,
    concurrentCalls: 2,
    webhookEndpoints: 10,
    directSendsPerDay: 20,
    directSendsPer10Min: 5,
  },
};

/** What is wrong with limits that an app or an operator sets: the name of the limit and why. Undefined: nothing. */
export function limitProblem(
  limits: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly problem: 'unknown' | 'not_whole' } | undefined {
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(PLAN_LIMITS.free, name)) return { name, problem: 'unknown' };
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
      return { name, problem: 'not_whole' };
  }
  return undefined;
}

export function limitsOf(plan: Plan, overrides: LimitOverrides = {}): Limits {
  return { ...PLAN_LIMITS[plan], ...overrides };
}

/** The RateLimit headers of an answer: the per-minute budget after this call. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetS: number;
}

/** A fixed window: `count` calls since `startedAtMs`. */
export interface Window {
  readonly startedAtMs: number;
  readonly count: number;
}

/** What a key and its owner have used so far. Storage reads it in the transaction that admits. */
export interface Usage {
  readonly minute: Window | undefined;
  /** Calls of the owner on the UTC day of `now`. */
  readonly callsToday: number;
  /** Slots of the key whose lease has not expired. */
  readonly inFlight: number;
}

export type LimitVerdict =
  | { readonly kind: 'within'; readonly minute: Window; readonly rate: Rate }
  | OverLimit<'rate_limited' | 'busy', undefined>
  | OverLimit<'daily_limit_reached', Date>;

export interface OverLimit<Code, ResetsAt> {
  readonly kind: 'over';
  readonly code: Code;
  readonly retryAfterS: number;
  readonly resetsAt: ResetsAt;
  readonly rate: Rate;
}

/**
 * Checks one call against the limits, in the order minute, day, concurrency. A call over a limit does not
 * count.
 * @returns the minute window to store if the call is within the limits
 */
export function judgeLimits(usage: Usage, limits: Limits, now: Date): LimitVerdict {
  const { window, rate, within } = takeFromWindow(usage.minute, limits.callsPerMinute, now);
  const refused = { ...rate, remaining: within ? rate.remaining + 1 : rate.remaining };
  if (!within)
    return { kind: 'over', code: 'rate_limited', retryAfterS: rate.resetS, resetsAt: undefined, rate };
  if (usage.callsToday >= limits.callsPerDay) {
    const resetsAt = nextUtcMidnight(now);
    const retryAfterS = Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000));
    return { kind: 'over', code: 'daily_limit_reached', retryAfterS, resetsAt, rate: refused };
  }
  if (usage.inFlight >= limits.concurrentCalls) {
    return { kind: 'over', code: 'busy', retryAfterS: 1, resetsAt: undefined, rate: refused };
  }
  return { kind: 'within', minute: window, rate };
}

/**
 * Takes one call from a fixed window of 60 s that starts with its first call. If the clock goes back, a new
 * window starts, so that the old one does not stretch.
 */
export function takeFromWindow(
  window: Window | undefined,
  limit: number,
  now: Date,
): { window: Window; rate: Rate; within: boolean } {
  const nowMs = now.getTime();
  const open =
    window !== undefined && nowMs >= window.startedAtMs && nowMs < window.startedAtMs + MINUTE_MS
      ? window
      : { startedAtMs: nowMs, count: 0 };
  const within = open.count < limit;
  const taken = within ? { startedAtMs: open.startedAtMs, count: open.count + 1 } : open;
  const resetS = Math.max(1, Math.ceil((open.startedAtMs + MINUTE_MS - nowMs) / 1000));
  return { window: taken, rate: { limit, remaining: limit - taken.count, resetS }, within };
}

export function utcDay(now: Date): string {
  return now.toISOString().slice(0, 10);
}

export function nextUtcMidnight(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  judgeLimits,
  limitsOf,
  nextUtcMidnight,
  PLAN_LIMITS,
  takeFromWindow,
  type Usage,
  utcDay,
  type Window,
} from '../../../core/keys/limits.ts';
import type { Plan } from '../../../core/keys/permissions.ts';

const NOON = new Date('2026-03-10T12:00:00.000Z');
const UNUSED: Usage = { minute: undefined, callsToday: 0, inFlight: 0 };
const PLANS: readonly Plan[] = ['free', 'paid'];

describe('the limits of a plan', () => {
  /** Free, paid. */
  it.each([
    ['callsPerMinute', 20, 60],
    ['callsPerDay', 200, 5000],
    ['filedPerDay', 10, 100],
    ['waitingPerKey', 3, 10],
    ['waitingPerOwner', 3, 25],
    ['messagesPerBulk', 25, 50],
    ['concurrentCalls', 2, 2],
    ['webhookEndpoints', 1, 10],
    ['directSendsPerDay', 20, 20],
    ['directSendsPer10Min', 5, 5],
  ] as const)('%s: %i free, %i paid', (name, free, paid) => {
    expect([PLAN_LIMITS.free[name], PLAN_LIMITS.paid[name]]).toEqual([free, paid]);
  });

  it('can be set one by one', () => {
    expect(limitsOf('free', { callsPerDay: 7 })).toEqual({ ...PLAN_LIMITS.free, callsPerDay: 7 });
    expect(limitsOf('paid')).toEqual(PLAN_LIMITS.paid);
  });
});

describe('a call', () => {
  it('within the limits reports the rest of the minute', () => {
    expect(judgeLimits(UNUSED, PLAN_LIMITS.free, NOON)).toEqual({
      kind: 'within',
      minute: { startedAtMs: NOON.getTime(), count: 1 },
      rate: { limit: 20, remaining: 19, resetS: 60 },
    });
  });

  it.each(PLANS)(
    'is the last that a limit of the %s plan lets through, or the first that it does not',
    (plan) => {
      const limits = PLAN_LIMITS[plan];
      const startedAtMs = NOON.getTime() - 10_000;
      const kinds = (usages: readonly Usage[]) => usages.map((usage) => judgeLimits(usage, limits, NOON));
      const over = (code: string) => ({ kind: 'over', code });
      const minute = [limits.callsPerMinute - 1, limits.callsPerMinute].map((count) => ({
        ...UNUSED,
        minute: { startedAtMs, count },
      }));
      expect(kinds(minute)).toMatchObject([{ kind: 'within', rate: { remaining: 0 } }, over('rate_limited')]);
      const day = [limits.callsPerDay - 1, limits.callsPerDay].map((callsToday) => ({
        ...UNUSED,
        callsToday,
      }));
      expect(kinds(day)).toMatchObject([{ kind: 'within' }, over('daily_limit_reached')]);
      const slots = [limits.concurrentCalls - 1, limits.concurrentCalls].map((inFlight) => ({
        ...UNUSED,
        inFlight,
      }));
      expect(kinds(slots)).toMatchObject([{ kind: 'within' }, over('busy')]);
    },
  );

  it('is checked against minute, day and concurrency, in this order', () => {
    const limits = limitsOf('paid', { callsPerMinute: 1, callsPerDay: 1, concurrentCalls: 1 });
    const minute = { startedAtMs: NOON.getTime(), count: 1 };
    const all = { minute, callsToday: 1, inFlight: 1 };
    expect(judgeLimits(all, limits, NOON)).toMatchObject({ code: 'rate_limited' });
    expect(judgeLimits({ ...all, minute: undefined }, limits, NOON)).toMatchObject({
      code: 'daily_limit_reached',
    });
    expect(judgeLimits({ ...all, minute: undefined, callsToday: 0 }, limits, NOON)).toMatchObject({
      code: 'busy',
    });
  });

  it('over a limit reports when to try again', () => {
    const limits = PLAN_LIMITS.free;
    const minute = { startedAtMs: NOON.getTime() - 10_500, count: 20 };
    expect(judgeLimits({ ...UNUSED, minute }, limits, NOON)).toEqual({
      kind: 'over',
      code: 'rate_limited',
      retryAfterS: 50,
      resetsAt: undefined,
      rate: { limit: 20, remaining: 0, resetS: 50 },
    });
    expect(judgeLimits({ ...UNUSED, callsToday: 200 }, limits, NOON)).toMatchObject({
      retryAfterS: 12 * 3600,
      resetsAt: new Date('2026-03-11T00:00:00.000Z'),
    });
    expect(judgeLimits({ ...UNUSED, inFlight: 2 }, limits, NOON)).toMatchObject({ retryAfterS: 1 });
  });

  it('that a different limit refuses does not count in the minute', () => {
    const minute = { startedAtMs: NOON.getTime(), count: 5 };
    for (const usage of [
      { minute, callsToday: 200, inFlight: 0 },
      { minute, callsToday: 0, inFlight: 2 },
    ]) {
      expect(judgeLimits(usage, PLAN_LIMITS.free, NOON).rate.remaining).toBe(15);
    }
  });
});

describe('a minute', () => {
  it('is 60 s, starting with the first call', () => {
    const window = { startedAtMs: NOON.getTime(), count: 3 };
    const at = (ms: number) => takeFromWindow(window, 3, new Date(NOON.getTime() + ms));
    expect(at(59_999)).toMatchObject({ within: false, window, rate: { remaining: 0, resetS: 1 } });
    expect(at(60_000)).toMatchObject({
      within: true,
      window: { startedAtMs: NOON.getTime() + 60_000, count: 1 },
    });
  });

  it('starts again if the clock goes back', () => {
    const window = { startedAtMs: NOON.getTime(), count: 3 };
    expect(takeFromWindow(window, 3, new Date(NOON.getTime() - 1))).toMatchObject({
      within: true,
      window: { startedAtMs: NOON.getTime() - 1, count: 1 },
    });
  });

  it('admits no more calls than its limit, whatever their times', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 100 }),
        (limit, waitsMs) => {
          let window: Window | undefined;
          let nowMs = NOON.getTime();
          const passed = new Map<number, number>();
          for (const waitMs of waitsMs) {
            nowMs += waitMs;
            const taken = takeFromWindow(window, limit, new Date(nowMs));
            window = taken.window;
            expect(taken.rate.remaining).toBe(limit - window.count);
            expect(taken.rate.resetS).toBeGreaterThanOrEqual(1);
            expect(taken.rate.resetS).toBeLessThanOrEqual(60);
            if (taken.within) passed.set(window.startedAtMs, (passed.get(window.startedAtMs) ?? 0) + 1);
          }
          const starts = [...passed.keys()];
          for (const count of passed.values()) expect(count).toBeLessThanOrEqual(limit);
          starts.slice(1).forEach((start, n) => {
            expect(start - (starts[n] ?? 0)).toBeGreaterThanOrEqual(60_000);
          });
        },
      ),
    );
  });
});

describe('a day', () => {
  it('is a day in UTC', () => {
    const last = new Date('2026-12-31T23:59:59.999Z');
    expect([utcDay(last), utcDay(new Date(last.getTime() + 1))]).toEqual(['2026-12-31', '2027-01-01']);
    expect(nextUtcMidnight(last)).toEqual(new Date('2027-01-01T00:00:00.000Z'));
    expect(nextUtcMidnight(new Date('2028-02-28T00:00:00.000Z'))).toEqual(
      new Date('2028-02-29T00:00:00.000Z'),
    );
  });
});

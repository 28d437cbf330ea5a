import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ATTEMPTS_MAX,
  type AttemptEnd,
  type Delivery,
  deliveryAfter,
  newDelivery,
} from '../../../core/events/delivery.ts';
import { HEALTHY, healthAfter } from '../../../core/events/endpoint-health.ts';
import { retryAfterMs } from '../../../core/events/retry-after.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/durations.ts';

const START_MS = Date.parse('2026-11-22T12:00:00Z');
const SCHEDULE_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, 16 * HOUR_MS + 50 * MINUTE_MS];

const failedEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.constant({ kind: 'unanswered' } as const),
  fc.record({
    kind: fc.constant('answered' as const),
    status: fc.integer({ min: 100, max: 599 }).filter((status) => status < 200 || status >= 300),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 40 * HOUR_MS })),
  }),
);

function must(delivery: Delivery | undefined): Delivery {
  if (delivery === undefined) throw new Error('nothing changed');
  return delivery;
}

describe('a delivery', () => {
  it('is tried within a tenth of the schedule, later only if the receiver asks for it, and never a seventh time', () => {
    const jitter = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(failedEnd, jitter), { minLength: 6, maxLength: 6 }), (ends) => {
        let nowMs = START_MS;
        let delivery = newDelivery(nowMs);
        for (const [index, [end, chance]] of ends.entries()) {
          delivery = must(deliveryAfter(delivery, { type: 'attempt', leaseMs: 30_000 }, nowMs));
          expect(delivery).toMatchObject({ state: 'waiting', attempts: index + 1 });
          expect(
            deliveryAfter(delivery, { type: 'attempt', leaseMs: 30_000 }, nowMs + 29_999),
          ).toBeUndefined();
          nowMs += 5000;
          const { fence } = delivery;
          delivery = must(deliveryAfter(delivery, { type: 'end', fence, end, jitter: chance }, nowMs));
          const scheduledMs = SCHEDULE_MS[index];
          if (scheduledMs === undefined) break;
          const waitMs = delivery.dueMs - nowMs;
          const askedMs = end.kind === 'answered' ? Math.min(end.retryAfterMs ?? 0, DAY_MS) : 0;
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(askedMs, scheduledMs * 0.9 - 1));
          expect(waitMs).toBeLessThanOrEqual(Math.max(askedMs, scheduledMs * 1.1 + 1));
          expect(
            deliveryAfter(delivery, { type: 'attempt', leaseMs: 1 }, delivery.dueMs - 1),
          ).toBeUndefined();
          nowMs = delivery.dueMs;
        }
        expect(delivery).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX });
      }),
    );
  });

  it('takes about 23 hours for its six attempts', () => {
    const hours = SCHEDULE_MS.reduce((sum, ms) => sum + ms, 0) / HOUR_MS;
    expect(hours).toBeCloseTo(23, 1);
  });

  it.each([200, 201, 204, 299])('is delivered by %s, and nothing changes it then', (status) => {
    const begun = must(deliveryAfter(newDelivery(START_MS), { type: 'attempt', leaseMs: 1000 }, START_MS));
    const end = { kind: 'answered', status, retryAfterMs: null } as const;
    const done = must(deliveryAfter(begun, { type: 'end', fence: 1, end, jitter: 0 }, START_MS));
    expect(done.state).toBe('delivered');
    expect(deliveryAfter(done, { type: 'attempt', leaseMs: 1000 }, START_MS + DAY_MS)).toBeUndefined();
    expect(deliveryAfter(done, { type: 'drop' }, START_MS)).toBeUndefined();
    expect(deliveryAfter(done, { type: 'end', fence: 1, end, jitter: 0 }, START_MS)).toBeUndefined();
  });

  it('is tried again at once when its lease ends; the attempt counts, and its result is too late', () => {
    let delivery = newDelivery(START_MS);
    for (let n = 1; n <= ATTEMPTS_MAX; n++) {
      const nowMs = START_MS + n * 1000;
      delivery = must(deliveryAfter(delivery, { type: 'attempt', leaseMs: 1000 }, nowMs));
      expect(delivery.attempts).toBe(n);
      const end = { kind: 'answered', status: 200, retryAfterMs: null } as const;
      expect(deliveryAfter(delivery, { type: 'end', fence: n - 1, end, jitter: 0 }, nowMs)).toBeUndefined();
    }
    const last = must(deliveryAfter(delivery, { type: 'attempt', leaseMs: 1000 }, START_MS + 60_000));
    expect(last).toMatchObject({ state: 'failed', attempts: ATTEMPTS_MAX });
  });
});

describe('a delivery, while the clock of the store jumps', () => {
  it('is tried at most six times, and never waits longer than two days', () => {
    const step = fc.record({
      jumpMs: fc.oneof(
        fc.integer({ min: -HOUR_MS, max: HOUR_MS }),
        fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS }),
      ),
      end: fc.option(failedEnd),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        let nowMs = START_MS;
        let delivery = newDelivery(nowMs);
        let attempts = 0;
        for (const { jumpMs, end, jitter } of steps) {
          nowMs += jumpMs;
          // The lease and the next attempt may wait for a day each.
          const waits = [0, DAY_MS + 1, 2 * DAY_MS + 1];
          const [due] = waits.filter(
            (waitMs) =>
              deliveryAfter(delivery, { type: 'attempt', leaseMs: 30_000 }, nowMs + waitMs) !== undefined,
          );
          if (delivery.state !== 'waiting') {
            expect(due).toBeUndefined();
            break;
          }
          expect(due).toBeDefined();
          nowMs += due ?? 0;
          delivery = must(deliveryAfter(delivery, { type: 'attempt', leaseMs: 30_000 }, nowMs));
          if (delivery.state === 'waiting') attempts += 1;
          const { fence } = delivery;
          if (end === null) continue;
          delivery = deliveryAfter(delivery, { type: 'end', fence, end, jitter }, nowMs) ?? delivery;
        }
        expect(attempts).toBe(delivery.attempts);
        expect(attempts).toBeLessThanOrEqual(ATTEMPTS_MAX);
      }),
    );
  });
});

describe('the health of an endpoint', () => {
  const failed = { kind: 'unanswered' } as const;
  const ok = { kind: 'answered', status: 200, retryAfterMs: null } as const;

  it('is lost after five days without a success, and only then', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 2 * DAY_MS })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (attempts) => {
        let nowMs = START_MS;
        let health = HEALTHY;
        let failingSinceMs: number | null = null;
        for (const [isOk, waitMs] of attempts) {
          nowMs += waitMs;
          health = healthAfter(health, isOk ? ok : failed, nowMs);
          failingSinceMs = isOk ? null : (failingSinceMs ?? nowMs);
          if (failingSinceMs !== null && nowMs - failingSinceMs >= 5 * DAY_MS) {
            expect(health.disabled).toBe('failing');
            return;
          }
          expect(health).toEqual({ failingSinceMs, disabled: null });
        }
      }),
    );
  });

  it('is lost at once by a 410', () => {
    const gone = { kind: 'answered', status: 410, retryAfterMs: null } as const;
    const health = healthAfter(HEALTHY, gone, START_MS);
    expect(health.disabled).toBe('gone');
    expect(healthAfter(health, ok, START_MS)).toEqual(health);
  });
});

describe('retryAfterMs', () => {
  const now = new Date(START_MS);
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sun, 22 Nov 2026 12:01:00 GMT', 60_000],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026', 2_026_000],
    ['9999999999', null],
    ['Sun, 99 Nov 2026 12:01:00 GMT', null],
    [null, null],
  ])('reads %j as %j', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

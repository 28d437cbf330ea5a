import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREQUENCIES, occurrences, type RecurrenceRule } from '../../../core/ical/recurrence-rule.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2020, 0, 31, 9, 30);
const EVERY_SECOND: RecurrenceRule = {
  freq: 'SECONDLY',
  interval: 1,
  count: undefined,
  weekStart: 0,
  bySecond: [],
  byMinute: [],
  byHour: [],
  byDay: [],
  byMonthDay: [],
  byYearDay: [],
  byWeekNo: [],
  byMonth: [],
  bySetPos: [],
};

const some = (values: fc.Arbitrary<number>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<number[]>([]) },
    { weight: 1, arbitrary: fc.uniqueArray(values, { minLength: 1, maxLength: 3 }) },
  );
const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((value) => value !== 0);

const rules: fc.Arbitrary<RecurrenceRule> = fc.record({
  freq: fc.constantFrom(...FREQUENCIES),
  interval: fc.integer({ min: 1, max: 20 }),
  count: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  weekStart: fc.integer({ min: 0, max: 6 }),
  bySecond: some(fc.integer({ min: 0, max: 59 })),
  byMinute: some(fc.integer({ min: 0, max: 59 })),
  byHour: some(fc.integer({ min: 0, max: 23 })),
  byDay: fc.oneof(
    fc.constant([]),
    fc.array(fc.record({ nth: fc.constantFrom(0, 0, 1, -1, 5), weekday: fc.integer({ min: 0, max: 6 }) }), {
      maxLength: 3,
    }),
  ),
  byMonthDay: some(signed(31)),
  byYearDay: some(signed(366)),
  byWeekNo: some(signed(53)),
  byMonth: some(fc.integer({ min: 1, max: 12 })),
  bySetPos: some(signed(5)),
});

function times(rule: RecurrenceRule, fromMs: number, toMs: number): number[] {
  return [...occurrences(rule, START_MS, { fromMs, toMs }, { left: 5_000_000 })];
}

describe('a recurrence rule', () => {
  it('gives the same times of a range, wherever the search starts', () => {
    const whole = { fromMs: START_MS, toMs: START_MS + 400 * DAY_MS };
    // Rules by the second over a year belong to a different test.
    const slow = rules.filter(
      ({ freq, count }) => count !== undefined || !['SECONDLY', 'MINUTELY'].includes(freq),
    );
    fc.assert(
      fc.property(
        slow,
        fc.integer({ min: -10, max: 390 }),
        fc.integer({ min: 0, max: 60 }),
        (rule, day, days) => {
          const fromMs = START_MS + day * DAY_MS + 12_345_000;
          const toMs = Math.min(whole.toMs, fromMs + days * DAY_MS);
          const expected = times(rule, whole.fromMs, whole.toMs).filter((at) => at >= fromMs && at <= toMs);
          expect(times(rule, fromMs, toMs)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a second of a period that has one', { bySetPos: [2] }],
    ['an odd second of every other one', { interval: 2, bySecond: [31] }],
  ])('ends soon if nothing ever matches: %s', (_name, parts) => {
    const never = { ...EVERY_SECOND, ...parts };
    const range = { fromMs: START_MS, toMs: START_MS + 400 * DAY_MS };
    expect([...occurrences(never, START_MS, range, { left: 1_500_000 })]).toEqual([]);
  });

  it('gives its times in order, each once, none before its start, and at most COUNT', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const found = times(rule, 0, START_MS + 3 * DAY_MS);
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(found.every((at) => at >= START_MS)).toBe(true);
        expect(found.length).toBeLessThanOrEqual(rule.count ?? Number.POSITIVE_INFINITY);
      }),
    );
  });
});

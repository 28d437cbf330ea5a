import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largestFitting, withFittingItems } from '../../../core/call/fitting.ts';
import type { Outcome } from '../../../core/call/outcome.ts';
import { wireBytes } from '../../open-service.ts';

const LIMIT_BYTES = 65_536;

const item = (chars: number) => ({ id: 'x'.repeat(chars), done: true });
const itemCount = fc.integer({ min: 1, max: 50 });

/** The places where a response has an outcome for each of several messages. */
const PLACES: [name: string, outcome: (items: unknown[]) => Outcome, items: (outcome: Outcome) => unknown][] =
  [
    [
      'its own result',
      (items) => ({ status: 'ok', executed: true, auto_approved: true, result: { items } }),
      (outcome) => (outcome.status === 'ok' ? outcome.result : undefined),
    ],
    [
      'the result of its approval',
      (items) => ({
        status: 'ok',
        executed: true,
        result: { approval: { result: { done: true, items } }, meaning: '' },
      }),
      (outcome) =>
        outcome.status === 'ok' ? (outcome.result.approval as { result: unknown }).result : undefined,
    ],
  ];

describe.each(PLACES)('outcomes of many messages in %s', (_name, outcomeOf, resultIn) => {
  it('are cut to fit, and items_total reports their number', () => {
    fc.assert(
      fc.property(itemCount, fc.integer({ min: 1, max: 5000 }), (count, chars) => {
        const outcome = outcomeOf(Array.from({ length: count }, () => item(chars)));
        const fitted = withFittingItems(outcome, wireBytes);
        expect(wireBytes(fitted)).toBeLessThanOrEqual(LIMIT_BYTES);
        if (wireBytes(outcome) <= LIMIT_BYTES) expect(fitted).toBe(outcome);
        else {
          const { items, items_total } = resultIn(fitted) as { items: unknown[]; items_total: number };
          expect(items_total).toBe(count);
          expect(items.length).toBeLessThan(count);
          // One more would be too much, except for the size of the numbers themselves.
          expect(wireBytes(fitted) + JSON.stringify(item(chars)).length + 20).toBeGreaterThan(LIMIT_BYTES);
        }
      }),
    );
  });
});

const FULL_BYTES = 0.98 * LIMIT_BYTES;

describe('the largest response that fits', () => {
  const textOf = (n: number, charsOf: (n: number) => number): Outcome => ({
    status: 'ok',
    result: { text: 'x'.repeat(charsOf(n)) },
  });

  it('is the largest one or fills the room, and undefined if the first does not fit', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(steps, (chars) => {
        const at = (n: number) =>
          textOf(n, (until) => chars.slice(0, until).reduce((sum, one) => sum + one, 0));
        const fitting = chars.filter((_, index) => wireBytes(at(index + 1)) <= LIMIT_BYTES).length;
        const largest = largestFitting(chars.length, at, wireBytes);
        if (largest !== undefined && wireBytes(largest) > FULL_BYTES && fitting < chars.length)
          expect(wireBytes(largest)).toBeLessThanOrEqual(LIMIT_BYTES);
        else expect(largest).toEqual(fitting === 0 ? undefined : at(fitting));
      }),
    );
  });

  it('is found with few tries, however long the text is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 70_000, max: 10_000_000 }), (most) => {
        let tries = 0;
        const at = (n: number) => {
          tries += 1;
          return textOf(n, (chars) => chars);
        };
        expect(wireBytes(largestFitting(most, at, wireBytes) ?? at(0))).toBeGreaterThan(FULL_BYTES);
        expect(tries).toBe(3);
      }),
      { numRuns: 20 },
    );
  });
});

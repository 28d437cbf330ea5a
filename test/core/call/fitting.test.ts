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

describe('the largest response that fits', () => {
  it('is the largest one, and undefined if the first does not fit', () => {
    fc.assert(
      fc.property(itemCount, fc.integer({ min: 1, max: 80_000 }), (most, chars) => {
        const at = (n: number): Outcome => ({ status: 'ok', result: { text: 'x'.repeat(n * chars) } });
        const roomBytes = LIMIT_BYTES - wireBytes(at(0));
        const fitting = Math.min(most, Math.floor(roomBytes / chars));
        const largest = largestFitting(most, at, wireBytes);
        expect(largest).toEqual(fitting === 0 ? undefined : at(fitting));
      }),
    );
  });
});

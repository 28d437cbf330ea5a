import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFittingItems } from '../../../core/call/fitting.ts';
import { withWantedItems } from '../../../core/call/items.ts';
import type { Outcome } from '../../../core/call/outcome.ts';

const sizeBytes = (outcome: Outcome) => Buffer.byteLength(JSON.stringify(outcome));

type Item = { readonly id: string; readonly done: boolean; readonly code?: string };

const anyItem: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ id: fc.string(), done: fc.constant(true) }),
  fc.record({
    id: fc.string(),
    done: fc.constant(false),
    code: fc.constantFrom('not_found', 'upstream_mail_error', 'outcome_unknown'),
  }),
);
const anyItems = fc.array(anyItem, { minLength: 1, maxLength: 50 });

/** Where a response has them. */
const anyOutcome = fc.constantFrom<(result: object) => Outcome>(
  (result) => ({ status: 'ok', executed: true, auto_approved: true, result: { ...result } }),
  (result) => ({ status: 'ok', executed: true, result: { approval: { result }, meaning: '' } }),
);

const resultIn = (outcome: Outcome) => {
  const { approval, ...own } = (outcome as { result: { approval?: { result: object } } }).result;
  return (approval?.result ?? own) as { items: Item[]; counts?: Record<string, number> };
};

describe('the items that a call wants', () => {
  it('are those that were not done, and counts of all', () => {
    fc.assert(
      fc.property(anyItems, anyOutcome, (items, outcomeOf) => {
        const wanted = withWantedItems(outcomeOf({ done: true, action: 'archive', items }), {
          items: 'failed',
        });
        const result = resultIn(wanted);
        expect(result).toMatchObject({ done: true, action: 'archive' });
        expect(result.items).toEqual(items.filter(({ done }) => !done));
        const { asked, done, failed, unknown } = result.counts ?? {};
        expect(asked).toBe(items.length);
        expect(done).toBe(items.filter((item) => item.done).length);
        expect(unknown).toBe(items.filter(({ code }) => code === 'outcome_unknown').length);
        expect((done ?? 0) + (failed ?? 0) + (unknown ?? 0)).toBe(asked);
        expect(withWantedItems(wanted, { items: 'failed' })).toEqual(wanted);
      }),
    );
  });

  it('are all, unchanged, unless only the failed ones are wanted', () => {
    fc.assert(
      fc.property(
        anyItems,
        anyOutcome,
        fc.oneof(fc.record({ items: fc.constantFrom('all', undefined) }), fc.jsonValue()),
        (items, outcomeOf, args) => {
          const outcome = outcomeOf({ items });
          expect(withWantedItems(outcome, args)).toBe(outcome);
        },
      ),
    );
  });

  it('keep the counts of all if they have to be cut', () => {
    const items = Array.from({ length: 50 }, (_, n) => ({
      id: 'x'.repeat(4000),
      done: n < 20,
      code: 'not_found',
    }));
    const outcome: Outcome = { status: 'ok', executed: true, result: { items } };
    const fitted = withFittingItems(withWantedItems(outcome, { items: 'failed' }), sizeBytes);
    const counts = { asked: 50, done: 20, failed: 30, unknown: 0 };
    expect(fitted).toMatchObject({ result: { items_total: 30, counts } });
  });

  it('leave alone what has no items', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), anyOutcome, (result, outcomeOf) => {
        fc.pre(!Object.values(result).some(Array.isArray));
        const outcome = outcomeOf({ ...result, items: undefined });
        expect(withWantedItems(outcome, { items: 'failed' })).toEqual(outcome);
      }),
    );
  });
});

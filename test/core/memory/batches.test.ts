import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../../core/memory/batches.ts';

describe('batches', () => {
  const sizes = fc.array(fc.nat(20), { maxLength: 50 });
  const bounds = fc.record({ size: fc.nat(40), count: fc.integer({ min: 1, max: 10 }) });
  const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);

  it('have everything in its order, within the bounds, or one thing alone', () => {
    fc.assert(
      fc.property(sizes, bounds, (all, { size, count }) => {
        const batches = batchesOf(all, (one) => one, { size, count });
        expect(batches.flat()).toEqual(all);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(count);
          if (batch.length > 1) expect(sum(batch)).toBeLessThanOrEqual(size);
        }
      }),
    );
  });

  it('are as few as the order allows', () => {
    fc.assert(
      fc.property(sizes, bounds, (all, { size, count }) => {
        const batches = batchesOf(all, (one) => one, { size, count });
        for (const [at, next] of batches.slice(1).entries()) {
          const batch = batches[at] ?? [];
          expect(batch.length === count || sum(batch) + (next[0] ?? 0) > size).toBe(true);
        }
      }),
    );
  });
});

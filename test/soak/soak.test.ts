import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleForChild } from '../run-typescript.ts';
import { fuzzed } from './fuzzed.ts';
import { readSeeds } from './seeds.ts';
import { soak } from './soak.ts';

const COUNT = 2000;
const SEED = 2026;

describe('a short soak', () => {
  it('neither crashes nor hangs over a fuzzed message, and no answer is too large', {
    timeout: 300_000,
  }, async () => {
    const here = import.meta.dirname;
    const report = await soak({
      count: COUNT,
      seed: SEED,
      playerFile: await bundleForChild(join(here, 'player.ts')),
      workerFile: await bundleForChild(join(here, '../../adapters/extract/worker.ts')),
      documents: join(here, '../adapters/extract/documents'),
    });
    expect(report.faults).toEqual([]);
    expect(Object.values(report.kinds).reduce((sum, count) => sum + count, 0)).toBe(COUNT);
    // It is empty unless documents are still read, and others are so damaged that they cannot be.
    expect(report.attachments.text).toBeGreaterThan(50);
    expect(report.attachments.broken).toBeGreaterThan(50);
    expect(report.largestAnswerBytes).toBeGreaterThan(10_000);
  });

  it('makes the same messages for the same seed', async () => {
    const seeds = await readSeeds();
    for (let number = 0; number < 50; number++) {
      const { raw } = fuzzed(seeds, SEED, number);
      expect(raw.equals(fuzzed(seeds, SEED, number).raw)).toBe(true);
      expect(raw.equals(fuzzed(seeds, SEED + 1, number).raw)).toBe(false);
    }
  });
});

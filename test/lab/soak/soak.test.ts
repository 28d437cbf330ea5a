import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../../only-long.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { sampleSeed } from '../../samples.ts';
import { LARGER, nthSample, sampleOf } from './fuzzed.ts';
import type { LIMITS } from './one-player.ts';
import { KINDS, sampleName } from './protocol.ts';
import { readSeeds } from './seeds.ts';
import { faultsOf, reduced, type SoakFiles, soak, soakLines } from './soak.ts';

const FIXED_SEED = 2026;
const COUNT = sizeOf('soak: samples', 1000, 20);

let files: SoakFiles;
beforeAll(async () => {
  const here = import.meta.dirname;
  files = {
    playerFile: await bundleForChild(join(here, 'player.ts')),
    workerFile: await bundleForChild(join(here, '../../../adapters/extract/worker.ts')),
    documents: join(here, '../../adapters/extract/documents'),
  };
});

/**
 * Samples in which a soak found a fault: KIND-SEED, and KIND-SEED.larger if it grew too fast with the size. What the next
 * soak finds is added here once it is mended.
 */
const FOUND = join(import.meta.dirname, 'found');

describe('a sample that was faulty once', () => {
  const names = readdirSync(FOUND).filter((name) => !name.endsWith('.larger'));
  it.each(names)('is right now: %s', async (name) => {
    const [kind, seed] = name.split('-');
    const sample = sampleName.parse({ kind, seed: Number(seed) });
    const raw = readFileSync(join(FOUND, name));
    const grown = join(FOUND, `${name}.larger`);
    const bytes = existsSync(grown) ? { raw, larger: readFileSync(grown) } : { raw };
    expect(await faultsOf(files, sample, { bytes })).toEqual([]);
  });
});

describe('a short soak', () => {
  it('neither crashes, hangs nor grows over a sample, and no answer is too large', async () => {
    const report = await soak({ ...files, count: COUNT, seed: sampleSeed });
    console.log(soakLines({ seed: sampleSeed }, report));
    expect(report.faults).toEqual([]);
    expect(Object.values(report.kinds)).toEqual(KINDS.map(() => COUNT / KINDS.length));
    expect(report.compared).toBeGreaterThan(0);
  });

  it('reads documents and events, and reports others as too broken', async () => {
    const report = await soak({ ...files, count: 30, seed: FIXED_SEED, kinds: ['document'] });
    expect(report.attachments.text).toBeGreaterThan(5);
    expect(report.attachments.broken).toBeGreaterThan(5);
    const calendars = await soak({ ...files, count: 30, seed: FIXED_SEED, kinds: ['ics', 'caldav'] });
    // A list, and three changes of an event found in it.
    expect(calendars.answers).toBeGreaterThan(30 + 3 * 3);
    expect(calendars.largestAnswerBytes).toBeGreaterThan(100);
  });

  it.each([
    ['hung', { ms: 0, cpuMs: 1e12, rssBytes: 1e12 }],
    ['processor', { ms: 1e12, cpuMs: -1, rssBytes: 1e12 }],
    ['memory', { ms: 1e12, cpuMs: 1e12, rssBytes: 1 }],
  ])('ends a player beyond its limits and names the sample: %s', async (word, limit) => {
    const limits = Object.fromEntries(KINDS.map((kind) => [kind, limit])) as unknown as typeof LIMITS;
    const report = await soak({ ...files, count: 1, seed: FIXED_SEED, limits, kinds: ['mime'] });
    expect(report.faults).toEqual([
      { ...nthSample(['mime'], FIXED_SEED, 0), what: expect.stringContaining(word) as string },
    ]);
  });

  it('generates the same sample for the same seed, and more of the same at a larger scale', async () => {
    const seeds = await readSeeds();
    let larger = 0;
    for (let n = 0; n < 100; n++) {
      const name = nthSample(KINDS, FIXED_SEED, n);
      const raw = sampleOf(seeds, name);
      expect(raw.equals(sampleOf(seeds, name))).toBe(true);
      if (sampleOf(seeds, name, LARGER).length > 2 * raw.length) larger += 1;
    }
    expect(larger).toBeGreaterThan(10);
  });

  it('shrinks a faulty sample to what causes the fault', async () => {
    const raw = Buffer.from(`${'a'.repeat(500)}bad${'c'.repeat(300)}`);
    const fails = (bytes: Buffer) => Promise.resolve(bytes.includes('bad'));
    const most = { tries: 1000, until: Number.POSITIVE_INFINITY };
    expect((await reduced(raw, fails, most)).toString()).toBe('bad');
  });
});

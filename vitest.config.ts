import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { browserScriptsInVite } from './hosts/dashboard/browser/build.mjs';
import { sectionReporter } from './test/conformance/section-reporter.ts';
import { HANG_MS } from './test/hang.ts';
import { LongestFirst } from './test/longest-first.ts';
import { FILES, isLong } from './test/only-long.ts';
import { APART, PURE } from './test/projects.ts';
import { countReporter } from './test/reporter.ts';

// The workers share what one of them has bundled: see test/run-typescript.ts.
if (process.env.COUNTERSIGN_BUNDLES === undefined) {
  const bundles = join(import.meta.dirname, 'node_modules/.cache/countersign-tests', randomUUID());
  process.env.COUNTERSIGN_BUNDLES = bundles;
  process.once('exit', () => rmSync(bundles, { recursive: true, force: true }));
}

/** What stands in for the cost of passwords, here as in bundles: see test/run-typescript.ts. */
const QUICK_PASSWORDS = [
  { find: './password-cost.ts', replacement: join(import.meta.dirname, 'test/quick-password-cost.ts') },
];

/** Commands that run in the test's process have no installed package. */
const BUNDLED_WORKERS = [
  {
    find: '../process/installed-worker.ts',
    replacement: join(import.meta.dirname, 'test/bundled-worker.ts'),
  },
];

const left = isLong ? [] : Object.keys(FILES);

export default defineConfig({
  plugins: [browserScriptsInVite],
  resolve: { alias: [...QUICK_PASSWORDS, ...BUNDLED_WORKERS] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    projects: [
      { extends: true, test: { name: 'apart', include: APART, exclude: left } },
      {
        extends: true,
        test: { name: 'pure', isolate: false, include: PURE, exclude: left },
      },
      // One process for many files: to load the modules anew for each takes a quarter of the time.
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...APART, ...PURE, ...left],
        },
      },
    ],
    setupFiles: ['test/samples.ts', 'test/restore.ts'],
    reporters: ['default', sectionReporter(), countReporter()],
    pool: 'forks',
    // Tests wait for servers and processes: with a worker for each core, a fifth of the time of CI's two is idle.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // A test may wait more than once. In the long run, some play hundreds of rounds.
    testTimeout: (isLong ? 12 : 2) * HANG_MS,
    hookTimeout: 2 * HANG_MS,
    expect: { poll: { timeout: HANG_MS } },
    coverage: { include: ['core/**', 'adapters/**', 'hosts/**'], exclude: ['hosts/dashboard/browser/**'] },
  },
});

import { defineConfig } from 'vitest/config';
import { sectionReporter } from './test/conformance/section-reporter.ts';
import { LongestFirst } from './test/longest-first.ts';
import { countReporter } from './test/reporter.ts';

/** Tests that count what a process does, start and kill processes, or replace modules: each file has its own process. */
const APART = [
  'test/*.test.ts',
  'test/{conformance,corpus,crash,e2e,ledger,package,soak}/**/*.test.ts',
  'test/adapters/driver/*.test.ts',
  'test/adapters/growth/*.test.ts',
  'test/core/linear/*.test.ts',
  'test/core/stored-plan.test.ts',
  'test/core/storage/altered-activity.test.ts',
];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      // One process for many files: to load the modules anew for each takes a quarter of the time.
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          setupFiles: ['test/restore.ts'],
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: APART,
        },
      },
    ],
    globalSetup: ['test/install-servers.ts'],
    reporters: ['default', sectionReporter(), countReporter()],
    pool: 'forks',
    // Tests wait for servers a fifth of their time: one worker more than CI has cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // What is waited for comes: this only bounds how long a busy machine may take over it.
    expect: { poll: { timeout: 20_000 } },
    coverage: { include: ['core/**', 'adapters/**', 'hosts/**'] },
  },
});

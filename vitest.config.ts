import { defineConfig } from 'vitest/config';
import { sectionReporter } from './test/conformance/section-reporter.ts';
import { LongestFirst } from './test/longest-first.ts';
import { countReporter } from './test/reporter.ts';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
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

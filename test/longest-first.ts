import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'caches/filled',
  'package/installed-package',
  'corpus/documents',
  'adapters/postgres/storage',
  'hosts/server/cli',
  'hosts/dashboard/every-page',
  'soak/soak',
  'hosts/dashboard/pages',
  'e2e/examples',
  'soak/new-mail',
  'adapters/sqlite/storage',
  'adapters/caldav/hostile-answers',
  'e2e/events-on-servers',
  'hosts/dashboard/signing',
  'hosts/dashboard/trackers-page',
  'e2e/sign-in-at-provider',
  'adapters/process/do-jobs',
  'core/linear/linear-time',
  'conformance/tool-door',
  'package/readme-app',
  'e2e/app-examples',
  'odd-servers/changed-answers',
  'crash/cut-tools',
  'adapters/imap/contract',
  'hosts/dashboard/second-tap',
  'crash/stop',
  'e2e/seen-is-sent',
  'hosts/dashboard/prove-owner',
  'e2e/mended-password',
  'odd-servers/odd-servers',
  'adapters/imap/courier',
  'adapters/postgres/lost-connection',
  'e2e/reply',
  'hosts/dashboard/webhooks-page',
  'crash/sandbox',
  'adapters/postgres/database',
  'e2e/contract-suites',
  'hosts/dashboard/another-port',
  'adapters/imap/variants',
  'crash/webhooks',
  'adapters/extract/hostile',
  'hosts/dashboard/notices-page',
  'adapters/imap/poor-servers',
  'adapters/waits',
  'adapters/process/bounded-process',
  'hosts/dashboard/live-processes',
  'adapters/caldav/contract',
  'hosts/stdio/bridge',
];

/** Runs the longest files first, then the others in their usual order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const long = LONGEST.flatMap((name) =>
      files.filter(({ moduleId }) => moduleId.endsWith(`/test/${name}.test.ts`)),
    );
    const others = files.filter((file) => !long.includes(file));
    return [...long, ...(await super.sort(others))];
  }
}

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'caches/filled',
  'core/linear/linear-time',
  'adapters/postgres/storage',
  'lab/soak/soak',
  'e2e/events-on-servers',
  'adapters/sqlite/storage',
  'crash/cut-tools',
  'e2e/examples',
  'e2e/whole-job',
  'hosts/server/cli',
  'e2e/sign-in-at-provider',
  'conformance/tool-door',
  'package/installed-package',
  'e2e/new-mail-on-servers',
  'adapters/caldav/hostile-answers',
  'e2e/written-to-on-servers',
  'corpus/documents',
  'package/readme-app',
  'hosts/dashboard/pages',
  'adapters/imap/variants',
  'hosts/dashboard/every-page',
  'crash/stop',
  'odd-servers/changed-answers',
  'hosts/dashboard/trackers-page',
  'hosts/dashboard/signing',
  'adapters/imap/filed-by-provider',
  'adapters/extract/hostile',
  'adapters/postgres/database',
  'e2e/seen-is-sent',
  'lab/soak/new-mail',
  'e2e/reply',
  'e2e/contract-suites',
  'adapters/process/do-jobs',
  'crash/cut',
  'adapters/postgres/lost-connection',
  'e2e/mended-password',
  'core/response-size',
  'e2e/app-examples',
  'adapters/growth/postgres',
  'adapters/growth/sqlite',
  'crash/sandbox',
  'odd-servers/odd-servers',
  'crash/webhooks',
  'adapters/imap/contract',
  'hosts/dashboard/second-tap',
  'adapters/caldav/contract',
  'hosts/dashboard/another-port',
  'import-directions',
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

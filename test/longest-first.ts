import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'package/installed-package',
  'adapters/postgres/storage',
  'hosts/server/cli',
  'conformance/tool-door',
  'e2e/examples',
  'core/linear/linear-time',
  'e2e/sign-in-at-provider',
  'crash/cut-tools',
  'e2e/mended-password',
  'crash/webhooks',
  'corpus/documents',
  'e2e/reply',
  'hosts/dashboard/sign-in-attacks',
  'e2e/seen-is-sent',
  'crash/stop',
  'hosts/server/account',
  'adapters/postgres/lost-connection',
  'adapters/caldav/hostile-answers',
  'crash/watch',
  'hosts/server/webhook',
  'package/readme-app',
  'hosts/dashboard/every-page',
  'crash/sandbox',
  'hosts/dashboard/pages',
  'hosts/dashboard/second-tap',
  'hosts/dashboard/trackers-page',
  'hosts/dashboard/signing',
  'soak/soak',
  'e2e/app-examples',
  'adapters/sqlite/storage',
  'hosts/dashboard/another-port',
  'hosts/dashboard/webhooks-page',
  'adapters/imap/courier',
  'adapters/caldav/contract',
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

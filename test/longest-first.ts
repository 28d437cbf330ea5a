import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'adapters/postgres/storage',
  'conformance/tool-door',
  'hosts/server/cli',
  'e2e/sign-in-at-provider',
  'e2e/examples',
  'e2e/seen-is-sent',
  'e2e/reply',
  'corpus/documents',
  'crash/stop',
  'package/installed-package',
  'hosts/server/doctor',
  'hosts/server/account',
  'core/linear/linear-time',
  'crash/webhooks',
  'crash/cut-tools',
  'e2e/mended-password',
  'hosts/dashboard/sign-in-attacks',
  'package/readme-app',
  'adapters/caldav/hostile-answers',
  'soak/soak',
  'adapters/sqlite/storage',
  'hosts/dashboard/webhooks-page',
  'adapters/postgres/lost-connection',
  'hosts/dashboard/pages',
  'adapters/caldav/contract',
  'crash/watch',
  'hosts/dashboard/signing',
  'hosts/dashboard/second-tap',
  'e2e/app-examples',
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

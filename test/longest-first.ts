import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'crash/cut-tools',
  'crash/mailbox',
  'conformance/postgres',
  'hosts/dashboard/sign-in-attacks',
  'adapters/postgres/storage',
  'crash/sandbox',
  'core/mail/hiding-tricks-in-browser',
  'crash/postgres',
  'adapters/postgres/lost-connection',
  'adapters/imap/variants',
  'hosts/dashboard/pages',
  'crash/watch',
  'e2e/examples',
  'package/installed-package',
  'package/readme-app',
  'package/next-app',
  'e2e/seen-is-sent',
  'e2e/mended-password',
  'e2e/sign-in-at-provider',
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

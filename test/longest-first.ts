import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: a long file that starts last keeps one worker busy alone. */
const LONGEST = [
  'crash/cut-tools',
  'crash/sandbox',
  'crash/postgres',
  'adapters/postgres/lost-connection',
  'adapters/postgres/pgbouncer',
  'core/linear/linear-time',
  'adapters/growth/postgres',
  'adapters/growth/sqlite',
  'adapters/postgres/storage',
  'conformance/postgres',
  'adapters/imap/variants',
  'package/installed-package',
  'core/mail/hiding-tricks-in-browser',
  'soak/new-mail',
  'package/readme-app',
  'e2e/seen-is-sent',
  'crash/mailbox',
  'hosts/dashboard/sign-in-attacks',
  'e2e/examples',
  'hosts/server/webhook',
  'hosts/dashboard/every-page',
  'soak/soak',
  'hosts/dashboard/pages',
  'package/next-app',
  'e2e/reply',
  'corpus/documents',
  'hosts/server/cli',
  'e2e/mended-password',
  'crash/watch',
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

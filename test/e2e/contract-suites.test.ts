import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'tsup';
import { expect, it, onTestFinished } from 'vitest';
import tsupConfig from '../../tsup.config.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What the author of an adapter writes, here of the adapters that there are. */
const ADAPTER_TEST = `
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxCalendar } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';
import { calendarContract, storageContract } from 'countersign/testing';

const account = { ownerId: 'o', accountId: 1, email: 'me@example.org', settings: async () => ({}) };

calendarContract('calendar', async () => {
  const calendar = sandboxCalendar({ samples: [] });
  return {
    calendar,
    account,
    put: (name, ics) => calendar.put(account, name, ics),
    object: async (name) => (await calendar.objects(account)).get(name),
    close: () => calendar.close(),
  };
});

storageContract(
  'storage',
  async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'countersign-adapter-')), 'store.db');
    let storage = sqliteStorage({ file });
    const others = [];
    return {
      get storage() {
        return storage;
      },
      location: file,
      async second() {
        others.push(sqliteStorage({ file }));
        return others.at(-1);
      },
      async reopen() {
        await storage.close();
        storage = sqliteStorage({ file });
        return storage;
      },
      async close() {
        for (const each of [storage, ...others]) await each.close();
      },
    };
  },
  join(import.meta.dirname, 'racer.mjs'),
);
`;

const RACER = `
import { sqliteStorage } from 'countersign/sqlite';
import { race } from 'countersign/testing';

await race((file) => sqliteStorage({ file }));
`;

it('countersign/testing, as it is published, judges the adapters of others', {
  timeout: 180_000,
}, async () => {
  // Below the project's packages, which it finds as it would find those of its user.
  const installed = join(ROOT, 'node_modules', '.cache', `countersign-adapter-${process.pid}`);
  const author = mkdtempSync(join(tmpdir(), 'countersign-adapter-'));
  onTestFinished(() => {
    for (const folder of [installed, author]) rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  await build({ ...tsupConfig, config: false, dts: false, silent: true, outDir: join(installed, 'dist') });
  mkdirSync(join(author, 'node_modules'));
  symlinkSync(installed, join(author, 'node_modules', 'countersign'));
  writeFileSync(join(author, 'adapter.test.mjs'), ADAPTER_TEST);
  writeFileSync(join(author, 'racer.mjs'), RACER);

  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--reporter=json', '--root', '.', '-t', 'calendars|one decides|one starts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: author, maxBuffer: 2 ** 26 });
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({ success: true, numPassedTests: 3 });
});

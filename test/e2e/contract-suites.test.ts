import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'tsup';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import tsupConfig from '../../tsup.config.ts';
import { blocksIn, documentText } from '../docs/documents.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The test file of an adapter's author, here for the existing adapters. */
const ADAPTER_TEST = `
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxCalendar, sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';
import {
  calendarContract,
  calendarObjectsContract,
  mailContract,
  storageContract,
} from 'countersign/testing';
import { emlFolderMail } from './eml-folder.mjs';
import { jsonCalendar } from './json-calendar.mjs';

const account = { ownerId: 'o', accountId: 1, email: 'me@example.org', settings: async () => ({}) };

const onlyWith = (methods, adapter) => Object.fromEntries(methods.map((name) => [name, adapter[name].bind(adapter)]));

mailContract('the first section of a mailbox', async () => {
  const mail = onlyWith(['verify', 'folders', 'createFolder'], sandboxMail());
  return { mail, account, close: async () => {} };
}, { sections: ['folders'] });

calendarContract('the first sections of a calendar', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-json-'));
  const calendar = jsonCalendar(join(folder, 'calendar.json'));
  return {
    calendar: onlyWith(['calendars', 'target', 'list'], calendar),
    account,
    put: async (event) => calendar.put(event),
    close: () => rm(folder, { recursive: true }),
  };
}, { sections: ['calendars', 'list'] });

calendarObjectsContract('objects', async () => {
  const calendar = sandboxCalendar({ samples: [] });
  return {
    calendar,
    account,
    put: (name, ics) => calendar.put(account, name, ics),
    object: async (name) => (await calendar.objects(account)).get(name),
    close: () => calendar.close(),
  };
});

mailContract('a folder of .eml files', async () => {
  const root = await mkdtemp(join(tmpdir(), 'countersign-eml-'));
  const outbox = join(root, 'outbox');
  const folder = join(root, 'mailbox');
  await mkdir(folder);
  const mail = emlFolderMail({ outbox });
  const filesIn = async (directory) => {
    const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.eml'));
    names.sort((a, b) => Number.parseInt(a) - Number.parseInt(b));
    return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  };
  return {
    mail,
    account: { ...account, settings: async () => ({ folder }) },
    deliver: (path, raw, { receivedAt = new Date() } = {}) => mail.deliver(folder, path, raw, receivedAt),
    messages: (path) => filesIn(join(folder, encodeURIComponent(path).replaceAll('.', '%2E'))),
    keywords: async () => [[]],
    arrived: () => filesIn(outbox),
    recipient: 'bob@example.test',
    refusedRecipient: 'nobody@nowhere.invalid',
    close: () => rm(root, { recursive: true }),
  };
}, { cannotAnnounce: true });
// A store that uses this machine's clock.
let passedMs = 0;
const now = Date.now;
Date.now = () => now() + passedMs;

const open = async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'countersign-adapter-')), 'store.db');
  let storage = sqliteStorage({ file });
  const others = [];
  return {
    get storage() {
      return storage;
    },
    location: file,
    async passTime(ms) {
      passedMs += ms;
    },
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
};
storageContract('storage', open, join(import.meta.dirname, 'racer.mjs'));
storageContract('a racer that is missing', open, join(import.meta.dirname, 'missing.mjs'));
storageContract('a racer that does not race', open, join(import.meta.dirname, 'silent.mjs'));
`;

const RACER = `
import { sqliteStorage } from 'countersign/sqlite';
import { race } from 'countersign/testing';

await race((file) => sqliteStorage({ file }));
`;

const run = promisify(execFile);

/** The folder of an author who has installed the package from `npm pack`. */
async function authorsFolder(): Promise<string> {
  // Inside the project, so that it finds the project's packages as it would find its user's.
  const folder = join(ROOT, 'node_modules', '.cache', `countersign-adapter-${process.pid}`);
  const author = mkdtempSync(join(tmpdir(), 'countersign-adapter-'));
  onTestFinished(() => {
    for (const one of [folder, author]) rmSync(one, { recursive: true, force: true });
  });
  const [source, installed] = [join(folder, 'source'), join(folder, 'installed')];
  for (const one of [source, installed, join(author, 'node_modules')]) mkdirSync(one, { recursive: true });
  const { scripts: _scripts, ...manifest } = packageJson;
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
  await build({ ...tsupConfig, config: false, dts: false, silent: true, outDir: join(source, 'dist') });
  await run('npm', ['pack', '--pack-destination', folder], { cwd: source });
  const tarball = join(folder, `${packageJson.name}-${packageJson.version}.tgz`);
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  symlinkSync(installed, join(author, 'node_modules', packageJson.name));
  return author;
}

it('countersign/testing, from an installed tarball, tests other adapters', async () => {
  const author = await authorsFolder();
  writeFileSync(join(author, 'adapter.test.mjs'), ADAPTER_TEST);
  writeFileSync(join(author, 'calendar.test.mjs'), blocksIn(documentText('docs/adapters.md'), 'js')[0]);
  writeFileSync(join(author, 'racer.mjs'), RACER);
  writeFileSync(join(author, 'silent.mjs'), "process.stdout.write('ready\\n');\n");
  for (const example of ['eml-folder.mjs', 'json-calendar.mjs'])
    copyFileSync(join(ROOT, 'examples', example), join(author, example));

  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const tests =
    'two processes (decide each approval|start and settle)|the first section|one JSON file|a folder of .eml files';
  const args = [vitest, 'run', '--reporter=json', '--root', '.', '--testTimeout=60000', '-t', tests];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: author, maxBuffer: 2 ** 26 }).catch(
    (error: unknown) => z.object({ stdout: z.string(), stderr: z.string() }).parse(error),
  );
  const report = results.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
  const tried = report.testResults.flatMap((file) => file.assertionResults);
  const failed = tried.filter(({ status }) => status === 'failed');
  const hasWrongRacer = ({ fullName }: { readonly fullName: string }) => fullName.startsWith('a racer that');
  expect(
    failed
      .filter((one) => !hasWrongRacer(one))
      .map(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
  ).toEqual([]);
  const passed = tried.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
  const ofSuite = (suite: string) => passed.filter((name) => name.startsWith(`${suite}: `)).length;
  expect(ofSuite('a folder of .eml files')).toBeGreaterThan(80);
  expect(ofSuite('one JSON file')).toBeGreaterThan(20);
  expect(ofSuite('the first section of a mailbox')).toBe(5);
  expect(ofSuite('the first sections of a calendar')).toBe(4);
  expect(ofSuite('storage')).toBe(2);

  // A wrong script fails its own tests, each with the reason, and breaks nothing else.
  const reasons = failed.filter(hasWrongRacer).map(({ failureMessages }) => failureMessages.join());
  const missing = `the racer ${join(author, 'missing.mjs')} must call \`race\``;
  const silent = `the racer ${join(author, 'silent.mjs')} ended without an answer`;
  expect(reasons).toEqual(
    [missing, missing, silent, silent].map((reason) => expect.stringContaining(reason)),
  );
  expect(stderr).not.toMatch(/Unhandled|EPIPE/);
});

const results = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

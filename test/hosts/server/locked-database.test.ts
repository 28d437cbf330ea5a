import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

// Another program holds the lock of the database of a running server.

const OWNER = 'grace@example.org';
const ADD_KEY = ['key', 'add', '--owner', OWNER, '--preset', 'read', '--json', '--name'];

let cli: Cli;
let server: Awaited<ReturnType<Cli['serve']>>;
let other: Database;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  cli = await buildCli();
  await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
  const { api_key } = printedBy(await cli.run([...ADD_KEY, 'first']));
  headers = { authorization: `Bearer ${api_key}` };
  server = await cli.serve(['serve', '--json']);
  other = new SqliteDatabase(join(cli.data, 'countersign.db'));
});
afterAll(async () => {
  other.close();
  await server.stop('SIGTERM');
  cli.remove();
});

const me = () => fetch(`${server.base_url}/v1/me`, { headers });
const keyNames = async () =>
  printedBy(await cli.run(['key', 'list', '--owner', OWNER, '--json'])).keys?.map(({ name }) => name);

it('health, pages and reading commands answer while calls wait, and the calls are done once it is free', async () => {
  const events: string[] = [];
  other.exec('BEGIN IMMEDIATE');
  const calls = Array.from({ length: 2 }, async () => {
    const { status } = await me();
    events.push(`call ${status}`);
  });
  for (let n = 0; n < 5; n += 1) {
    expect((await fetch(`${server.base_url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.dashboard_url}/sign-in`)).status).toBe(200);
  }
  events.push('free');
  other.exec('COMMIT');
  await Promise.all(calls);
  expect(events).toEqual(['free', 'call 200', 'call 200']);
});

it('calls and commands that write are refused after their time, and never done', async () => {
  // Another database, which the command has to create.
  const old = join(cli.folder, 'old');
  mkdirSync(old);
  const oldFile = new SqliteDatabase(join(old, 'countersign.db'));
  oldFile.exec('BEGIN EXCLUSIVE');
  other.exec('BEGIN IMMEDIATE');
  const [listed, backedUp] = [keyNames(), cli.run(['backup', 'backup.db'])];
  const [call, command, upgrade] = await Promise.all([
    me(),
    cli.run([...ADD_KEY, 'second']),
    cli.run(['key', 'list', '--owner', OWNER], '', {
      COUNTERSIGN_DATA_DIR: old,
      COUNTERSIGN_SECRET_KEY: randomBytes(32).toString('base64'),
    }),
  ]);
  expect(await listed).toEqual(['first']);
  expect(await backedUp).toMatchObject({ code: 0 });
  other.exec('COMMIT');
  oldFile.close();
  expect(call.status).toBe(503);
  expect(call.headers.get('retry-after')).toBe('5');
  expect(await call.json()).toMatchObject({
    code: 'temporarily_unavailable',
    details: { retry_after_s: 5 },
  });
  const advice = 'another program keeps it locked. Finish or close what uses it there';
  for (const { code, stdout, stderr } of [command, upgrade]) {
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
    expect(stderr).toContain(advice);
  }
  expect(command.stderr).toContain(join(cli.data, 'countersign.db'));
  expect(upgrade.stderr).toContain(join(old, 'countersign.db'));
  expect((await me()).status).toBe(200);
  expect(await keyNames()).toEqual(['first']);
});

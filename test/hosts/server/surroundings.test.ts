import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'ada@example.org';
/** Latin, Cyrillic, Greek, Arabic, Hebrew, Devanagari, Thai, Han, Hangul, and a sign outside the first 65,536. */
const NAME = 'Ägent агент βοηθός مساعد עוזר सहायक ผู้ช่วย 助手 도우미 🤖';

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli?.remove());

/** What a process inherits from whoever starts it. */
const SURROUNDINGS = [
  { umask: '077', locale: 'C', timezone: undefined },
  { umask: '000', locale: 'tr_TR.UTF-8', timezone: 'Asia/Kathmandu' },
  { umask: '022', locale: 'POSIX', timezone: 'Nowhere/Nothing' },
] as const;

describe.each(SURROUNDINGS)('with umask $umask, locale $locale and time zone $timezone', (surroundings) => {
  it('the commands and the server work, and only their user can read what they write', async () => {
    const home = mkdtempSync(join(cli.folder, 'home-'));
    const { PATH } = process.env;
    const { umask, locale, timezone } = surroundings;
    const env = { PATH, HOME: home, LC_ALL: locale, COUNTERSIGN_PORT: '0', TZ: timezone };
    // The shell sets the mask of permissions for the program that takes its place.
    const command = (...args: string[]) => [
      '-c',
      `umask ${umask}; exec "$0" "$@"`,
      process.execPath,
      cli.program,
      ...args,
    ];
    const run = (...args: string[]) =>
      promisify(execFile)('/bin/sh', command(...args, '--json'), { cwd: home, env });

    await cli.run(['owner', 'add', OWNER], 'correct horse battery staple\n', { HOME: home });
    const added = await run('key', 'add', '--owner', OWNER, '--name', NAME, '--preset', 'read');
    const { api_key: apiKey } = printedBy({ ...added, code: 0 });
    const { stdout: listed } = await run('key', 'list', '--owner', OWNER);
    expect(JSON.parse(listed)).toMatchObject({ keys: [{ name: NAME }] });

    const server = spawn('/bin/sh', command('serve', '--json'), { cwd: home, env });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [line] = await once(server.stdout, 'data');
    const { base_url: baseUrl } = JSON.parse(String(line)) as { base_url: string };
    const me = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await me.json()).toMatchObject({ credential: { kind: 'pat' }, timezone: 'UTC' });
    await run('backup', join(home, '.local', 'backup of it'));
    const seen = modesBelow(join(home, '.local'));
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
    expect(Object.keys(seen).toSorted()).toEqual(
      expect.arrayContaining(['backup of it', 'countersign.db', 'countersign.db-wal', 'countersign.db.key']),
    );
    for (const [name, mode] of Object.entries(seen)) expect([name, mode & 0o077]).toEqual([name, 0]);
  });
});

/** The permissions of what lies below a folder, by the last part of its name. */
function modesBelow(folder: string): Record<string, number> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const isOurs = (path: string) => path.includes('countersign') || path.includes('backup');
  return Object.fromEntries(
    entries
      .map((entry) => ({ name: entry.name, path: join(entry.parentPath, entry.name) }))
      .filter(({ path }) => isOurs(path.slice(folder.length)))
      .map(({ name, path }) => [name, statSync(path).mode]),
  );
}

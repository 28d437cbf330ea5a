import { execFile, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { missingPrograms, titledWithout, UNSHARE } from '../../servers/missing-servers.ts';
import { eventually } from '../../until.ts';
import { buildCli, type Cli } from './cli-process.ts';

const OWNER = 'ada@example.org';
/** What the commands print. */
const started = z.object({ api_key: z.string(), base_url: z.url(), dashboard_url: z.url() });
const listed = z.object({ result: z.object({ trackers: z.array(z.object({ title: z.string() })) }) });

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli?.remove());

const program = () => [process.execPath, cli.program];
const environment = (data: string, more: Record<string, string> = {}) => ({
  ...{ PATH: process.env.PATH, HOME: cli.folder, COUNTERSIGN_PORT: '0', COUNTERSIGN_DATA_DIR: data },
  ...more,
});

/** Runs a shell script to its end. `"$0" "$1"` is the program. @returns its standard error */
async function failureOf(shell: readonly string[], script: string, env: SpawnOptionsWithoutStdio['env']) {
  const [command = '', ...options] = [...shell, '/bin/sh', '-c', script];
  const ended = promisify(execFile)(command, [...options, ...program()], { cwd: cli.folder, env });
  return await ended.then(
    ({ stdout }) => `it ended well: ${stdout}`,
    (error: { stderr?: string }) => error.stderr ?? String(error),
  );
}

const missing = missingPrograms([UNSHARE]);
/** A process with its own view of the file system. */
const APART = [UNSHARE, '--mount', '--propagation', 'private', '--'];

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a file system'), () => {
  let folder: string;
  const newFolder = () => {
    folder = mkdtempSync(join(cli.folder, 'mount-'));
    return folder;
  };

  it('that is read-only is named by every command, whether the data is there or not', async () => {
    const mount = newFolder();
    const env = environment(join(mount, 'data'));
    const mounted = (then: string) =>
      failureOf(APART, `mount -t tmpfs -o size=4m tmpfs ${mount} && ${then}`, env);
    const readOnly = `mount -o remount,ro ${mount}`;
    expect(await mounted(`${readOnly} && exec "$0" "$1" serve`)).toBe(
      `The data folder ${mount}/data cannot be used: EROFS: read-only file system, mkdir '${mount}/data'. ` +
        'COUNTERSIGN_DATA_DIR names another one, or COUNTERSIGN_DATABASE_URL another database.\n',
    );
    const added = `printf 'correct horse battery staple' | "$0" "$1" owner add ${OWNER} > ${cli.folder}/added`;
    expect(await mounted(`${added} && ${readOnly} && exec "$0" "$1" key list --owner ${OWNER}`)).toMatch(
      /^The database \S+ cannot be opened: EROFS: read-only file system.*\n$/,
    );
  });

  it('that is full refuses the start, and a running server answers 503 until there is room', async () => {
    const mount = newFolder();
    const env = environment(join(mount, 'data'));
    const small = `mount -t tmpfs -o size=100k tmpfs ${mount} && exec "$0" "$1" serve`;
    expect(await failureOf(APART, small, env)).toMatch(
      /^The database \S+ cannot be opened: database or disk is full\n$/,
    );

    const script = [
      `mount -t tmpfs -o size=8m tmpfs ${mount}`,
      `printf 'correct horse battery staple' | "$0" "$1" owner add ${OWNER} --json`,
      `"$0" "$1" key add --owner ${OWNER} --name agent --preset full --json`,
      'exec "$0" "$1" serve --json',
    ].join(' && ');
    const [command = '', ...options] = [...APART, '/bin/sh', '-c', script, ...program()];
    const server = spawn(command, options, { cwd: cli.folder, env });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [out, log]: string[][] = [[], []];
    server.stdout.on('data', (chunk) => out?.push(String(chunk)));
    server.stderr.on('data', (chunk) => log?.push(String(chunk)));
    await eventually(async () => expect(out?.join('')).toContain('mcp_url'));
    const lines = (out ?? []).join('').trim().split('\n');
    const printed = started.parse(
      Object.assign({}, ...lines.map((line): object => JSON.parse(line) as object)),
    );
    const headers = { authorization: `Bearer ${printed.api_key}`, 'content-type': 'application/json' };
    const add = async (title: string) => {
      const body = JSON.stringify({ title });
      return (await fetch(`${printed.base_url}/v1/trackers`, { method: 'POST', headers, body })).status;
    };
    const titles = async () => {
      const answer = listed.parse(await (await fetch(`${printed.base_url}/v1/trackers`, { headers })).json());
      return answer.result.trackers.map(({ title }) => title);
    };
    expect(await add('before')).toBe(201);
    // The process sees its mount; the test reaches it through the process.
    const inside = `/proc/${server.pid}/root${mount}/fill`;
    const fill = () => writeFileSync(inside, Buffer.alloc(16 * 1024 * 1024));
    expect(fill).toThrow('ENOSPC');
    expect([await add('meanwhile'), await add('meanwhile')]).toEqual([503, 503]);
    expect((await fetch(`${printed.dashboard_url}/sign-in`)).status).toBe(200);
    rmSync(inside);
    expect(await add('after')).toBe(201);
    expect((await titles()).toSorted()).toEqual(['after', 'before']);
    expect(log?.join('')).toContain('"cause":"SQLITE_FULL"');
  });
});

const TCC = '/usr/bin/tcc';
const withoutCompiler = missingPrograms([TCC]);

it.skipIf(withoutCompiler.length > 0)(
  titledWithout(withoutCompiler, 'a file system without locks is named at the start'),
  async () => {
    const library = join(cli.folder, 'no-locks.so');
    const source = join(import.meta.dirname, '../../servers/no-locks.c');
    await promisify(execFile)(TCC, ['-nostdlib', '-shared', '-o', library, source]);
    const data = join(cli.folder, 'without-locks');
    const stderr = await failureOf([], 'exec "$0" "$1" serve', environment(data, { LD_PRELOAD: library }));
    expect(stderr).toBe(
      `The database ${data}/countersign.db cannot be opened: its file system has no locks, as some network drives have ` +
        'none. Keep the database on a disk of this machine, or use Postgres.\n',
    );
    expect(readdirSync(data).filter((name) => !/^countersign\.(db|key|db\.key)$/.test(name))).toEqual([]);
  },
);

it('a folder where a file system allows none is refused', async () => {
  const stderr = await failureOf([], 'exec "$0" "$1" serve', environment('/proc/countersign/data'));
  expect(stderr).toMatch(/^The data folder \/proc\/countersign\/data cannot be used: ENOENT.*\n$/);
  mkdirSync(join(cli.folder, 'file'));
  writeFileSync(join(cli.folder, 'file', 'data'), '');
  const taken = join(cli.folder, 'file', 'data');
  expect(await failureOf([], 'exec "$0" "$1" serve', environment(taken))).toMatch(
    /cannot be used: (EEXIST|ENOTDIR)/,
  );
  expect(existsSync(taken)).toBe(true);
});

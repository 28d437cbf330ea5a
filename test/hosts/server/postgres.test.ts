import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titledWithout } from '../../servers/missing-servers.ts';
import { asked, missingOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../servers/postgres.ts';
import { buildCli, type Cli, doctorReport, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const OWNER_PASSWORD = 'correct horse battery staple';
const missing = missingOwnPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'the command line on Postgres'), () => {
  let cli: Cli;
  let postgres: OwnPostgres;
  let url: string;
  let password: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    [cli, postgres] = await Promise.all([buildCli(), startOwnPostgres()]);
    url = await postgres.createDatabase();
    ({ password } = new URL(url));
    env = { COUNTERSIGN_DATABASE_URL: url };
  });
  afterAll(async () => {
    await postgres?.stop();
    cli?.remove();
  });

  const nameOf = (of: string) => `postgres://${new URL(of).host}${new URL(of).pathname}`;
  const doctor = async () => {
    const { code, stdout, stderr } = await cli.run(['doctor', '--json'], '', env);
    expect(stdout + stderr).not.toContain(password);
    const { ok, machine } = doctorReport.parse(JSON.parse(stdout));
    const states = Object.fromEntries(machine.map(({ check, state }) => [check, state]));
    return { code, ok, states, text: machine.map(({ text }) => text).join('\n') };
  };

  it('is checked by doctor, which creates nothing', async () => {
    expect(await doctor()).toMatchObject({ code: 1, states: { settings: 'good', database: 'broken' } });
    expect(await asked(url, "SELECT to_regnamespace('countersign') AS made")).toEqual([{ made: null }]);
    expect(existsSync(cli.data)).toBe(false);
  });

  it('takes an owner and a key, serves requests, and reports when the database is gone', async () => {
    printedBy(await cli.run(['owner', 'add', OWNER, '--json'], OWNER_PASSWORD, env));
    const add = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'full', '--json'];
    const { api_key } = printedBy(await cli.run(add, '', env));
    expect(
      printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'], '', env)).accounts,
    ).toEqual([]);
    expect(await doctor()).toMatchObject({
      code: 0,
      ok: true,
      states: { settings: 'good', database: 'good', secret_key: 'good' },
    });

    const server = await cli.serve(['serve', '--json'], env);
    const me = () => fetch(`${server.base_url}/v1/me`, { headers: { authorization: `Bearer ${api_key}` } });
    expect((await me()).status).toBe(200);
    expect((await fetch(`${server.base_url}/healthz`)).status).toBe(200);

    await postgres.crash();
    await expect.poll(async () => (await fetch(`${server.base_url}/healthz`)).status).toBe(503);
    const refused = await me();
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'temporarily_unavailable' }]);
    expect(await doctor()).toMatchObject({ code: 1, states: { database: 'broken' } });

    await postgres.restart();
    await expect.poll(async () => (await fetch(`${server.base_url}/healthz`)).status).toBe(200);
    expect((await me()).status).toBe(200);
    const { code, stderr } = await server.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).not.toContain(password);
  });

  it('answers 503 while its server is a standby, and goes on once that is the primary', async () => {
    const add = ['key', 'add', '--owner', OWNER, '--name', 'other', '--preset', 'full', '--json'];
    const { api_key } = printedBy(await cli.run(add, '', env));
    const server = await cli.serve(['serve', '--json'], env);
    const me = () => fetch(`${server.base_url}/v1/me`, { headers: { authorization: `Bearer ${api_key}` } });
    expect((await me()).status).toBe(200);

    await postgres.restartAsStandby();
    // It has met its lost connections.
    await expect.poll(async () => (await fetch(`${server.base_url}/healthz`)).status).toBe(200);
    const refused = await me();
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'temporarily_unavailable' }]);
    const line = `The database ${nameOf(url)} cannot be used: The server is a standby, which can only be read. Write the address of the primary.`;
    expect(await doctor()).toMatchObject({ code: 1, text: expect.stringContaining(line) });
    const commands = [
      ['serve'],
      ['owner', 'add', 'ada@example.org'],
      ['secrets', 'rotate'],
      ['restore', 'none'],
    ];
    for (const command of commands) {
      const ended = await cli.run(command, OWNER_PASSWORD, env);
      expect(ended).toEqual({ code: 1, stdout: '', stderr: `${line}\n` });
    }
    const copy = join(cli.folder, 'of-the-standby.backup');
    expect(await cli.run(['backup', copy], '', env)).toMatchObject({ code: 0, stderr: '' });

    await asked(url, 'SELECT pg_promote()');
    expect((await me()).status).toBe(200);
    expect((await server.stop('SIGTERM')).code).toBe(0);
  });

  it('is not used, and nothing is created, by a role that lacks a right', async () => {
    const other = await postgres.createDatabase();
    await asked(other, "CREATE ROLE limited LOGIN PASSWORD 'p'");
    const limited = new URL(other);
    [limited.username, limited.password] = ['limited', 'p'];
    const theirs = { COUNTERSIGN_DATABASE_URL: limited.href };
    const line = `The database ${nameOf(other)} cannot be used: The role limited may not create a schema. Create it: `;
    for (const command of [['serve'], ['owner', 'add', OWNER], ['doctor'], ['restore', 'none']]) {
      const { code, stdout, stderr } = await cli.run(command, OWNER_PASSWORD, theirs);
      expect(code).toBe(1);
      expect(command[0] === 'doctor' ? stdout : stderr).toContain(line);
      expect(`${stdout}${stderr}`.match(/cannot be used/g)).toHaveLength(1);
    }
    expect(await asked(other, "SELECT to_regnamespace('countersign') AS made")).toEqual([{ made: null }]);
  });

  it('does not start if the key or the database is missing, or the password is wrong', async () => {
    const failing = async (changes: Record<string, string>) => {
      const { code, stdout, stderr } = await cli.run(['owner', 'password', OWNER], OWNER_PASSWORD, {
        ...env,
        ...changes,
      });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).not.toContain(password);
      return stderr;
    };
    const wrong = url.replace(password, 'not-the-password');
    expect(await failing({ COUNTERSIGN_DATABASE_URL: wrong })).toContain('password authentication failed');
    const nowhere = url.replace(/[^/]+$/, 'nowhere');
    expect(await failing({ COUNTERSIGN_DATABASE_URL: nowhere })).toContain(
      'database "nowhere" does not exist',
    );
    rmSync(join(cli.data, 'countersign.key'));
    expect(await failing({})).toContain('set COUNTERSIGN_SECRET_KEY');
    expect(await doctor()).toMatchObject({ code: 1, states: { database: 'good', secret_key: 'broken' } });
    expect(existsSync(join(cli.data, 'countersign.key'))).toBe(false);
  });
});

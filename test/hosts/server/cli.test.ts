import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../../package.json';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());

const OWNER = 'grace@example.org';
const PASSWORD = 'correct horse battery staple';

const someText: unknown = expect.any(String);

describe('commands', () => {
  it.each([['nonsense'], ['owner', 'nonsense'], ['nonsense', '--help'], ['owner', 'nonsense', '--help']])(
    'that do not exist are wrong usage: %s %s',
    async (...args) => {
      expect(await cli.run(args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^Unknown command\./) as unknown,
      });
    },
  );

  it.each([['--help'], ['owner', '--help'], ['owner', 'add', '--help']])(
    'are described: %s %s %s',
    async (...args) => {
      expect(await cli.run(args)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it.each([[['nonsense']], [['key', 'list', '--owner', 'nobody@example.org']], [['owner', '--help']]])(
    'print the same and end with the same code in a process of their own: %j',
    async (args) => {
      expect(await cli.runApart(args)).toEqual(await cli.run(args));
    },
  );

  it('name the settings if the data folder cannot be made', async () => {
    const inTheWay = join(tmpdir(), `countersign-file-${process.pid}`);
    writeFileSync(inTheWay, '');
    onTestFinished(() => rmSync(inTheWay));
    const { code, stderr } = await cli.run(['owner', 'add', OWNER], PASSWORD, {
      COUNTERSIGN_DATA_DIR: join(inTheWay, 'data'),
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`The data folder ${join(inTheWay, 'data')} cannot be used: ENOTDIR`);
    expect(stderr).toContain('COUNTERSIGN_DATA_DIR names another one');
  });

  it('print the setup link where a person sees it, and never to a log', async () => {
    const LINK = /http:\/\/countersign\.localhost:(\d+)\/setup\/[\w-]{43}/;
    // Ctrl-C ends the server.
    const shown = await cli.typed(['serve'], [['For another one', '\x03']]);
    expect(shown.stdout).toMatch(LINK);
    // Not even as JSON, which programs keep.
    for (const { stdout, stderr } of [
      await (await cli.serve(['serve', '--json'])).stop('SIGTERM'),
      { stdout: await cli.greeting(), stderr: '' },
    ]) {
      expect(stdout + stderr).not.toContain('/setup/');
    }
    expect(await cli.greeting()).toContain('countersign setup-link');

    const at = { COUNTERSIGN_PORT: '9787' };
    const { code, stdout } = await cli.run(['setup-link'], '', at);
    expect(code).toBe(0);
    expect(LINK.exec(stdout)?.[1]).toBe('9788');
    const json = await cli.run(['setup-link', '--json'], '', at);
    expect(JSON.parse(json.stdout)).toEqual({
      setup_url: expect.stringMatching(LINK) as unknown,
      expires_at: someText,
    });
    // A port that only the server knows.
    expect(await cli.run(['setup-link'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('COUNTERSIGN_DASHBOARD_URL') as unknown,
    });
  });

  it('name the next steps while there are any', async () => {
    const first = await cli.greeting();
    expect(first).toContain(`Data       ${join(cli.data, 'countersign.db')}`);
    expect(first).toContain('countersign owner add EMAIL');
    expect(first).toContain('countersign account add --owner EMAIL');
    await cli.run(['owner', 'add', 'first@example.org'], PASSWORD);
    const second = await cli.greeting();
    expect(second).not.toContain('countersign owner add');
    expect(second).not.toContain('setup');
    expect(await cli.run(['setup-link'], '', { COUNTERSIGN_PORT: '9787' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is an owner') as unknown,
    });
    expect(second).toContain('countersign account add --owner first@example.org');
    await cli.run(['key', 'add', '--owner', 'first@example.org', '--name', 'n', '--preset', 'read']);
    expect(await cli.greeting()).not.toContain('countersign key add');
  });

  it('create an owner and a key that a running server accepts', async () => {
    const added = printedBy(
      await cli.run(['owner', 'add', OWNER, '--timezone', 'Europe/Berlin', '--json'], PASSWORD),
    );
    expect(added).toEqual({ owner_id: someText });
    expect(statSync(join(cli.data, 'countersign.db.key')).mode & 0o777).toBe(0o600);

    const add = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'full', '--days', '30'];
    const modes = ['--mode', 'mail:send=direct', '--mode', 'mail:reply=off'];
    const key = printedBy(await cli.run([...add, ...modes, '--recipient', 'Nova.Example', '--json']));
    expect(key).toEqual({ key_id: someText, api_key: expect.stringMatching(/^svc_pat_/) as unknown });

    const { keys } = printedBy(await cli.run(['key', 'list', '--owner', OWNER, '--json']));
    expect(keys).toMatchObject([
      {
        key_id: key.key_id,
        name: 'agent',
        revoked_at: null,
        paused_at: null,
        fences: { accounts: null, recipients: ['nova.example'], until: null },
        modes: { 'mail:send': 'direct', 'mail:reply': 'off' },
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key.api_key);

    const server = await cli.serve(['serve', '--json']);
    const me = () =>
      fetch(`${server.base_url}/v1/me`, { headers: { authorization: `Bearer ${key.api_key}` } });
    expect((await me()).status).toBe(200);
    expect((await fetch(`${server.dashboard_url}/sign-in`)).status).toBe(200);

    const tools = () =>
      fetch(`${server.base_url}/v1/folders`, { headers: { authorization: `Bearer ${key.api_key}` } });
    for (const [verb, code] of [
      ['pause', 'not_permitted'],
      ['resume', 'no_mail_account_connected'],
    ] as const) {
      const change = ['key', verb, key.key_id ?? '', '--owner', OWNER, '--json'];
      expect(printedBy(await cli.run(change))).toEqual({ key_id: key.key_id });
      expect(await (await tools()).json()).toMatchObject({ code });
    }

    // While the server is running.
    expect(printedBy(await cli.run(['key', 'revoke', key.key_id ?? '', '--owner', OWNER, '--json']))).toEqual(
      {
        key_id: key.key_id,
      },
    );
    expect((await me()).status).toBe(401);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('change the password', async () => {
    const changed = printedBy(await cli.run(['owner', 'password', OWNER, '--json'], `${PASSWORD}!\n`));
    expect(changed).toEqual({ owner_id: someText });
  });

  it('remove the second step of an owner who has lost it', async () => {
    const off = await cli.run(['owner', 'second-step-off', OWNER]);
    expect(off.stdout).toContain(`The second step of ${OWNER} is removed.`);
  });

  it('list accounts', async () => {
    expect(printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json']))).toEqual({
      accounts: [],
    });
  });

  it('print readable text without --json', async () => {
    const { code, stdout } = await cli.run([
      'key',
      'add',
      '--owner',
      OWNER,
      '--name',
      'n',
      '--preset',
      'read',
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/curl -H 'Authorization: Bearer svc_pat_\w+' http:/);
  });
});

describe('the version', () => {
  it.each(['--version', 'version'])('is printed by %s', async (name) => {
    const { code, stdout } = await cli.run([name]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
    expect(JSON.parse((await cli.run([name, '--json'])).stdout)).toEqual({ version });
  });
});

describe('the help', () => {
  it('fits a terminal, and says how to use each command', async () => {
    const { code, stdout } = await cli.run(['--help']);
    expect(code).toBe(0);
    const names = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\w/gm)].map(([, name = '']) => name);
    expect(names).toContain('account add');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const add = await cli.run(['account', 'add', '--help']);
    expect(add.stdout).toContain('countersign account add --owner EMAIL --email ADDRESS --provider ID\n');
    expect(add.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('the log of serve', () => {
  /** Node runs it first. It warns, or lets a promise fail, when a signal asks for it. */
  const faults = () => {
    const file = join(cli.folder, 'faults.cjs');
    const emit = [
      "process.on('SIGUSR2', () => {",
      "  process.emitWarning('about ada@example.org', 'DeprecationWarning', 'DEP9999');",
      "  process.emitWarning('about grace@example.org');",
      '});',
      "process.on('SIGHUP', () => void Promise.reject(new RangeError('about ada@example.org')));",
    ];
    writeFileSync(file, emit.join('\n'));
    return { NODE_OPTIONS: `--require ${file}` };
  };
  /** A busy machine may also block the event loop. */
  const notable = (stderr: string) =>
    stderr
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ level, message }) => level !== 'info' && message !== 'the event loop was blocked');

  it('is one JSON object a line, warnings of Node included, and calls that wait cause none', async () => {
    const { child, ended, told } = cli.start(['serve', '--demo', '--json'], faults());
    const { base_url, api_key } = JSON.parse(String((await once(child.stdout, 'data'))[0]));
    const headers = {
      ...{ authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    };
    const post = async (path: string, body: unknown) =>
      (await fetch(`${base_url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    const message = { to: ['ada@example.org'], subject: 'Hello', body: 'Hello.' };
    const { approval } = JSON.parse(await post('/v1/messages', message));
    const params = { name: 'get_approval', arguments: { approval_id: approval.id, wait_s: 1 } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const answer = await post('/mcp', { ...call, params: { ...params, _meta: { progressToken: 1 } } });
    expect(answer).toContain('notifications/progress');

    const warned = told(/DEP9999(?:.*\n)+.*\n/);
    child.kill('SIGUSR2');
    await warned;
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(notable(stderr)).toMatchObject([
      { level: 'warn', message: 'Node warns', error: 'DeprecationWarning', code: 'DEP9999' },
      { level: 'warn', message: 'Node warns', error: 'Warning' },
    ]);
    expect(stderr).not.toContain('@example.org');
  });

  it('says that an error ends the process, and where it comes from', async () => {
    const { child, ended } = cli.start(['serve', '--demo', '--json'], faults());
    await once(child.stdout, 'data');
    child.kill('SIGHUP');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(notable(stderr)).toMatchObject([
      {
        level: 'error',
        message: 'the process ends after an error that nobody handled',
        ...{ origin: 'unhandledRejection', error: 'RangeError' },
        at: expect.stringContaining('faults.cjs') as unknown,
      },
    ]);
    expect(stderr).not.toContain('@example.org');
  });
});

describe('wrong usage ends with 2', () => {
  it.each([
    [[], 'Commands'],
    [['approve', 'apr_1'], 'Unknown command'],
    [['account'], 'Unknown command.\n\nCommands:\n  account add '],
    [['serve', '--port', '80'], "Unknown option '--port'\n\nUsage:\n  countersign serve [--demo]"],
    [['owner', 'add'], 'EMAIL is missing'],
    [['owner', 'add', 'a@example.org', 'b@example.org'], 'too many arguments after EMAIL'],
    [['key', 'add', '--owner', OWNER, '--name', 'n'], '--preset is missing'],
    [['key', 'add', '--owner', OWNER, '--name', 'n', '--preset', 'all'], 'read, organise, full'],
    [
      ['key', 'add', '--owner', OWNER, '--name', 'n', '--preset', 'read', '--mode', 'mail:read=direct'],
      'off, on',
    ],
    [['key', 'add', '--owner', OWNER, '--name', 'n', '--preset', 'read', '--days', 'many'], 'a whole number'],
    [['key', 'list', '--colour', 'red'], '--colour'],
    [['account', 'remove', 'one', '--owner', OWNER], 'a whole number'],
    [
      ['account', 'add', '--owner', OWNER, '--email', OWNER, '--imap', 'pop://a', '--smtp', 'smtp://a'],
      '--imap',
    ],
    [['serve', 'now'], 'too many arguments'],
    [['key', 'list', '--owner', OWNER, '--owner', 'ada@example.org'], '--owner is given twice'],
  ])('%j', async (args, words) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(words);
  });
});

describe('a failure ends with 1 and one line', () => {
  it.each([
    ['an existing owner', ['owner', 'add', OWNER], PASSWORD, 'email:'],
    ['a short password', ['owner', 'add', 'new@example.org'], 'short', 'password: must have 10 to'],
    ['an invalid email address', ['owner', 'add', 'grace'], PASSWORD, 'email: must be a bare email address'],
    [
      'an unknown time zone',
      ['owner', 'add', 'new@example.org', '--timezone', 'Mars/Base'],
      PASSWORD,
      'timezone: must be an IANA name such as Europe/Berlin',
    ],
    [
      'an unknown owner',
      ['key', 'list', '--owner', 'nobody@example.org'],
      '',
      'countersign owner add nobody@example.org',
    ],
    ['an unknown key', ['key', 'revoke', 'key_none', '--owner', OWNER], '', 'has no key key_none'],
    ['an unknown account', ['account', 'remove', '7', '--owner', OWNER], '', 'has no account 7'],
    [
      'too many days',
      ['key', 'add', '--owner', OWNER, '--name', 'n', '--preset', 'read', '--days', '181'],
      '',
      'days: must be 1 to 180',
    ],
    [
      'an account without servers',
      ['account', 'add', '--owner', OWNER, '--email', OWNER],
      'x',
      '--imap imaps://',
    ],
  ])('%s', async (_name, args, input, words) => {
    const { code, stdout, stderr } = await cli.run([...args, '--json'], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
  });

  it('an account is not saved if its server does not answer', async () => {
    const urls = ['--imap', 'imap://127.0.0.1:1', '--smtp', 'smtp://127.0.0.1:1'];
    const added = await cli.run(
      ['account', 'add', '--owner', OWNER, '--email', OWNER, ...urls],
      'a password',
    );
    expect(added).toMatchObject({ code: 1, stdout: '' });
    expect(printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'])).accounts).toEqual([]);
  });

  it('an invalid setting', async () => {
    await expect(
      cli.serve(['serve', '--json'], { COUNTERSIGN_DATABASE_URL: 'mysql://localhost/it' }),
    ).rejects.toThrow('COUNTERSIGN_DATABASE_URL: must be a file');
  });

  it('a port that is taken', async () => {
    const server = await cli.serve(['serve', '--json']);
    const { port } = new URL(server.base_url);
    await expect(cli.serve(['serve', '--json'], { COUNTERSIGN_PORT: port })).rejects.toThrow(
      'set COUNTERSIGN_PORT',
    );
    await server.stop('SIGTERM');
  });
});

describe('mcp', () => {
  it('connects a client on stdin and stdout to the server, with the same variables set for both', async () => {
    const server = await cli.serve(['serve', '--demo', '--json']);
    const env = { COUNTERSIGN_BASE_URL: server.base_url, COUNTERSIGN_API_KEY: server.api_key ?? '' };
    const { code, stdout, stderr } = await cli.runApart(
      ['mcp'],
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
      env,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} });
    await server.stop('SIGTERM');
    expect(await cli.run(['owner', 'add', 'mcp@example.org'], PASSWORD, env)).toMatchObject({ code: 0 });
    expect(await cli.runApart(['mcp'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^There is no key\..*\n$/) as unknown,
    });
  });
});

describe('serve --demo', () => {
  it('runs a complete service in a folder that is deleted with it', async () => {
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('countersign-demo-'));
    const before = folders();
    const server = await cli.serve(['serve', '--demo', '--json'], { COUNTERSIGN_LOG: 'error' });
    const [folder = ''] = folders().filter((name) => !before.includes(name));
    expect(existsSync(join(tmpdir(), folder, 'countersign.db'))).toBe(true);
    expect(server.owner).toEqual({ email: someText, password: someText });

    const headers = { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' };
    const me = await fetch(`${server.base_url}/v1/me`, { headers });
    expect(await me.json()).toMatchObject({ permissions: { groups: { 'mail:send': 'approval' } } });
    const body = JSON.stringify({ to: ['ada@example.org'], subject: 'Hello', body: 'Hello.' });
    const filed = await fetch(`${server.base_url}/v1/messages`, { method: 'POST', headers, body });
    expect(filed.status).toBe(202);
    expect(await filed.json()).toMatchObject({ approvals_url: `${server.dashboard_url}/approvals` });
    expect((await fetch(`${server.base_url}/healthz`)).status).toBe(200);

    expect(await server.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(tmpdir(), folder))).toBe(false);
  });
});

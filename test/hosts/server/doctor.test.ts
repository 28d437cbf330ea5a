import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { buildCli, type Cli } from './cli-process.ts';

const OWNER = 'grace@example.org';
const OWNER_PASSWORD = 'correct horse battery staple';

const findings = z.array(
  z.strictObject({ check: z.string(), state: z.enum(['good', 'lacking', 'broken']), text: z.string() }),
);
const server = z.strictObject({ server: z.string().nullable(), findings });
const printed = z.strictObject({
  ok: z.boolean(),
  machine: findings,
  accounts: z.array(
    z.strictObject({
      owner: z.string(),
      account_id: z.number(),
      email: z.string(),
      imap: server,
      smtp: server,
      caldav: server.nullable(),
    }),
  ),
});

async function examine(cli: Cli, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await cli.run(['doctor', ...args, '--json'], '', env);
  const report = printed.parse(JSON.parse(stdout));
  const states = (list: z.infer<typeof findings>) =>
    Object.fromEntries(list.map(({ check, state }) => [check, state]));
  return { code, stderr, report, machine: states(report.machine), states };
}

describe('doctor on this machine', () => {
  let cli: Cli;
  beforeAll(async () => {
    cli = await buildCli();
  });
  afterAll(() => cli.remove());

  it('reports a missing database, and creates none', async () => {
    for (let times = 0; times < 2; times += 1) {
      const { code, stderr, report, machine } = await examine(cli);
      expect(code).toBe(1);
      expect(stderr).toBe('1 problem found.\n');
      expect(machine).toEqual({ settings: 'good', private_servers: 'good', database: 'broken' });
      expect(report).toMatchObject({ ok: false, accounts: [] });
    }
  });

  it('finds no problem with a new one', async () => {
    await cli.run(['owner', 'add', OWNER], OWNER_PASSWORD);
    const { code, stderr, report, machine } = await examine(cli);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(machine).toEqual({
      settings: 'good',
      private_servers: 'good',
      database: 'good',
      secret_key: 'good',
    });
    expect(report).toMatchObject({ ok: true, accounts: [] });
  });

  it.each([
    ['database', 'countersign.db', 'Other users can read the database: chmod 600'],
    ['secret_key', 'countersign.db.key', 'Other users can read the secret key: chmod 600'],
  ])('reports that others can read the %s', async (check, file, words) => {
    const path = join(cli.folder, 'data', file);
    chmodSync(path, 0o640);
    const { code, report, machine } = await examine(cli);
    expect(code).toBe(1);
    expect(machine[check]).toBe('broken');
    expect(report.machine.find((one) => one.check === check)?.text).toContain(`${words} ${path}`);
    chmodSync(path, 0o600);
    expect((await examine(cli)).code).toBe(0);
  });

  it('reports that passwords would travel unencrypted', async () => {
    const env = { COUNTERSIGN_HOST: '0.0.0.0' };
    const { code, report, machine } = await examine(cli, [], env);
    expect({ code, state: machine.addresses }).toEqual({ code: 0, state: 'lacking' });
    expect(report.machine.find(({ check }) => check === 'addresses')?.text).toContain(
      'COUNTERSIGN_DASHBOARD_URL and COUNTERSIGN_BASE_URL',
    );
    const proxied = {
      ...env,
      COUNTERSIGN_DASHBOARD_URL: 'https://mail.example.org',
      COUNTERSIGN_BASE_URL: 'https://api.example.org',
    };
    expect((await examine(cli, [], proxied)).machine).not.toHaveProperty('addresses');
  });

  it('fails on an invalid setting and on an unknown owner', async () => {
    const wrong = await cli.run(['doctor', '--json'], '', { COUNTERSIGN_PORT: 'many' });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('COUNTERSIGN_PORT') as unknown,
    });
    const nobody = await cli.run(['doctor', '--owner', 'nobody@example.org', '--json']);
    expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: 'There is no owner nobody@example.org.\n' });
  });

  it('reports a missing secret key', async () => {
    rmSync(join(cli.folder, 'data', 'countersign.db.key'));
    const { code, machine } = await examine(cli);
    expect(code).toBe(1);
    expect(machine).toEqual({
      settings: 'good',
      private_servers: 'good',
      database: 'good',
      secret_key: 'broken',
    });
  });
});

describe.skipIf(missingServers().length > 0)(titled('doctor on accounts'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  const connect = (owner: string, user: string) =>
    cli.run(
      [
        ...['account', 'add', '--owner', owner, '--email', addressOf(user)],
        ...['--imap', `imap://127.0.0.1:${dovecot.port}`, '--smtp', `smtp://127.0.0.1:${postfix.port}`],
      ],
      PASSWORD,
    );

  beforeAll(async () => {
    cli = await buildCli();
    // Two owners share this installation.
    const configuration = { allowPrivateServers: ['127.0.0.0/8'] };
    writeFileSync(join(cli.folder, 'countersign.config.json'), JSON.stringify(configuration));
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    for (const [owner, user] of [
      [OWNER, 'alice'],
      ['ada@example.org', 'bob'],
    ] as const) {
      await cli.run(['owner', 'add', owner], OWNER_PASSWORD);
      expect(await connect(owner, user)).toMatchObject({ code: 0 });
    }
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
    cli?.remove();
  });

  it('checks all accounts, and reports what their servers can do', async () => {
    const { code, report, states } = await examine(cli);
    expect(code).toBe(0);
    expect(report.accounts.map(({ owner, account_id, email }) => [owner, account_id, email])).toEqual([
      [OWNER, 1, addressOf('alice')],
      ['ada@example.org', 1, addressOf('bob')],
    ]);
    const [account] = report.accounts;
    expect(account?.imap.server).toBe(`127.0.0.1:${dovecot.port}`);
    expect(account?.smtp.server).toBe(`127.0.0.1:${postfix.port}`);
    expect(states(account?.imap.findings ?? [])).toMatchObject({
      sign_in: 'good',
      move: 'good',
      folder_sent: 'good',
      stable_ids: 'lacking',
    });
    expect(states(account?.smtp.findings ?? [])).toMatchObject({ sign_in: 'good', auth: 'good' });
    expect(account?.caldav).toBeNull();
  });

  it("checks one owner's accounts, in readable text", async () => {
    const { code, stdout, stderr } = await cli.run(['doctor', '--owner', 'ADA@example.org']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      `${addressOf('bob')} (account 1 of ada@example.org): IMAP, 127.0.0.1:${dovecot.port}\n`,
    );
    expect(stdout).toContain('  ok      It moves messages (MOVE).\n');
    expect(stdout).toContain('  note    A message has another id when it is moved');
    expect(stdout).not.toContain(addressOf('alice'));
  });

  it('reports settings that were sealed with another key', async () => {
    const COUNTERSIGN_SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
    const { code, stderr, report } = await examine(cli, ['--owner', OWNER], { COUNTERSIGN_SECRET_KEY });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 problem found.\n' });
    expect(report.accounts).toMatchObject([
      { imap: { server: null, findings: [{ check: 'settings', state: 'broken' }] }, smtp: { server: null } },
    ]);
  });

  it('reports that private servers are refused, and by which setting', async () => {
    const env = { COUNTERSIGN_ALLOW_PRIVATE_SERVERS: 'mail.lan' };
    const { code, report } = await examine(cli, ['--owner', OWNER], env);
    expect(code).toBe(1);
    const [account] = report.accounts;
    for (const findings of [account?.imap.findings, account?.smtp.findings]) {
      expect(findings).toMatchObject([{ state: 'broken' }]);
      expect(findings?.[0]?.text).toContain('COUNTERSIGN_ALLOW_PRIVATE_SERVERS');
    }
  });

  it('reports which server cannot be reached', async () => {
    await postfix.stop();
    const { code, stderr, report, states } = await examine(cli, ['--owner', OWNER]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 problem found.\n' });
    const [account] = report.accounts;
    expect(states(account?.imap.findings ?? [])).toMatchObject({ sign_in: 'good' });
    expect(account?.smtp.findings).toEqual([
      { check: 'connection', state: 'broken', text: 'The SMTP server cannot be reached.' },
    ]);
    const { stdout } = await cli.run(['doctor', '--owner', OWNER]);
    expect(stdout).toContain(
      '  BROKEN  The SMTP server cannot be reached. Try again later. If the problem persists, ask',
    );
  });
});

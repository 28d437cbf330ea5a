import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createKeyring, type Keyring } from '../../../core/secrets/keyring.ts';
import { ask } from '../../contracts/storage/scene.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const OWNER_PASSWORD = 'correct horse battery staple';

const findings = z.array(
  z.strictObject({ check: z.string(), state: z.enum(['good', 'lacking', 'broken']), text: z.string() }),
);
const server = z.strictObject({ server: z.string().nullable(), findings });
const printed = z.strictObject({
  ok: z.boolean(),
  machine: findings,
  owners: z.array(
    z.strictObject({
      owner: z.string(),
      sign_in: findings,
      keys: findings,
      requests: findings,
      activity: findings,
    }),
  ),
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
    const path = join(cli.data, file);
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
    expect(nobody).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `There is no owner nobody@example.org in ${join(cli.data, 'countersign.db')}.\n`,
    });
  });

  it('reports a missing secret key', async () => {
    rmSync(join(cli.data, 'countersign.db.key'));
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

describe('doctor on what somebody changed in the database', () => {
  let cli: Cli;
  let file: string;
  let keyring: Keyring;
  let ownerId: string;
  let keyId: string;
  /** A whole hour, a while ago. */
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000);

  beforeAll(async () => {
    cli = await buildCli();
    ownerId = printedBy(await cli.run(['owner', 'add', OWNER, '--json'], OWNER_PASSWORD)).owner_id ?? '';
    const key = ['key', 'add', '--owner', OWNER, '--name', 'Agent', '--preset', 'full', '--json'];
    keyId = printedBy(await cli.run(key)).key_id ?? '';
    file = join(cli.data, 'countersign.db');
    const secret = Buffer.from(readFileSync(`${file}.key`, 'utf8').trim(), 'base64');
    keyring = createKeyring([secret], randomBytes);
    const storage = sqliteStorage({ file });
    for (const n of [0, 1, 2, 3]) {
      const now = new Date(hour.getTime() + n * 1_800_000);
      const caller = { ownerId, credentialId: keyId };
      const row = { kind: 'call', credentialId: keyId, tool: 'get_me', outcome: 'ok' } as const;
      const activity = { ...row, approvalId: null, durationMs: 1, shown: [], listed: [] };
      await storage.finish({ caller, slotId: 's', claim: null, activity, now });
      await storage.addCheckpoints({ ownerId, limit: 10, signer: keyring, now });
    }
    await storage.close();
  });
  afterAll(() => cli.remove());

  function sql(text: string): void {
    const db = new SqliteDatabase(file);
    db.exec(text);
    db.close();
  }

  async function found(args: readonly string[] = []) {
    const { code, report } = await examine(cli, args);
    const [owner] = report.owners;
    if (owner === undefined) throw new Error('there is no owner');
    const broken = [owner.sign_in, owner.keys, owner.requests, owner.activity]
      .flat()
      .filter(({ state }) => state === 'broken')
      .map(({ text }) => text);
    return { code, broken };
  }

  it('finds nothing wrong with what Countersign wrote', async () => {
    const { code, report } = await examine(cli, ['--owner', OWNER]);
    expect(code).toBe(0);
    expect(report.owners).toMatchObject([
      {
        owner: OWNER,
        sign_in: [
          {
            state: 'good',
            text: 'The password, the second step and the sessions are as Countersign wrote them.',
          },
        ],
        keys: [{ state: 'good', text: 'The key is as Countersign wrote it.' }],
        requests: [{ state: 'good', text: 'No approval was changed outside Countersign.' }],
        activity: [{ state: 'good', text: '4 rows in 2 checkpoints are as Countersign wrote them.' }],
      },
    ]);
  });

  it('names the key', async () => {
    sql('UPDATE credentials SET expires_at_ms = expires_at_ms + 1');
    const text =
      `The key "Agent" (${keyId}) was changed outside Countersign, and no longer works. ` +
      'Revoke it and create a new one.';
    expect(await found()).toEqual({ code: 1, broken: [text] });
    sql('UPDATE credentials SET expires_at_ms = expires_at_ms - 1');
    expect(await found()).toEqual({ code: 0, broken: [] });
  });

  it('names what signs in', async () => {
    sql("UPDATE owners SET password_hash = password_hash || 'x', second_step_signature = ''");
    sql(`INSERT INTO sessions SELECT owner_id, 'ses_1', 'mine', 0, 0, 0, 9e15, '', '', NULL, '' FROM owners`);
    const { code, broken } = await found();
    expect(code).toBe(1);
    expect(broken).toEqual([
      expect.stringContaining(`Set a new one: countersign owner password ${OWNER}`),
      expect.stringContaining(`Remove it: countersign owner second-step-off ${OWNER}`),
      expect.stringContaining('A session was changed outside Countersign'),
    ]);
    expect((await cli.run(['owner', 'second-step-off', OWNER])).code).toBe(0);
    expect((await cli.run(['owner', 'password', OWNER], OWNER_PASSWORD)).code).toBe(0);
    expect(await found()).toEqual({ code: 0, broken: [] });
  });

  it('names the request', async () => {
    const storage = sqliteStorage({ file });
    const asked = await ask(storage, { ownerId, credentialId: keyId, secretHash: '' }, { signer: keyring });
    await storage.close();
    const set = (state: string) => sql(`UPDATE approvals SET state = '${state}', approved_by = 'owner'`);
    set('approved');
    const text = `The request ${asked.id} was approved outside Countersign. It will not be carried out.`;
    expect(await found()).toEqual({ code: 1, broken: [text] });
    set('pending');
    expect(await found()).toEqual({ code: 0, broken: [] });
  });

  it('names the hour of the activity', async () => {
    const [day, from] = [hour.toISOString().slice(0, 10), hour.toISOString().slice(11, 16)];
    const to = new Date(hour.getTime() + 3_600_000).toISOString().slice(11, 16);
    sql("UPDATE activity SET outcome = 'empty' WHERE activity_id = 2");
    const text = `Activity was changed, deleted or inserted outside Countersign: ${day} ${from} to ${to} UTC.`;
    expect(await found()).toEqual({ code: 1, broken: [text] });
    const people = await cli.run(['doctor']);
    expect(people).toMatchObject({ code: 1, stderr: '1 problem found.\n' });
    expect(people.stdout).toContain(`Activity of ${OWNER}\n  BROKEN  ${text}`);
    sql("UPDATE activity SET outcome = 'ok' WHERE activity_id = 2");
    sql("UPDATE activity SET kind = 'nonsense' WHERE activity_id = 2");
    expect((await found()).broken).toMatchObject([expect.stringContaining('They cannot be read')]);
    sql("UPDATE activity SET kind = 'call' WHERE activity_id = 2");
    sql('DELETE FROM checkpoints WHERE number = 1');
    expect((await found()).broken).toEqual([
      expect.stringContaining('Activity was changed, deleted or inserted'),
      expect.stringContaining('Activity and its checkpoints are missing before'),
    ]);
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
    // Owners come in the order of their ids, which are random.
    expect(
      new Set(report.accounts.map(({ owner, account_id, email }) => [owner, account_id, email])),
    ).toEqual(
      new Set([
        [OWNER, 1, addressOf('alice')],
        ['ada@example.org', 1, addressOf('bob')],
      ]),
    );
    const account = report.accounts.find(({ owner }) => owner === OWNER);
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
    expect({ code, stderr }).toEqual({ code: 1, stderr: '3 problems found.\n' });
    const signIn = 'signed with a secret key that is missing here';
    expect(report.owners[0]?.sign_in).toMatchObject(
      Array.from({ length: 2 }, () => ({ text: expect.stringContaining(signIn) as unknown })),
    );
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
      { check: 'connection', state: 'broken', text: 'Nothing listens on the port of the SMTP server.' },
    ]);
    const { stdout } = await cli.run(['doctor', '--owner', OWNER]);
    expect(stdout).toContain(
      '  BROKEN  Nothing listens on the port of the SMTP server. Try again later. If the problem persists, ask',
    );
  });
});

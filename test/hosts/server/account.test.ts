import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';

describe.skipIf(missingServers().length > 0)(titled('account add'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  let user: string;

  beforeAll(async () => {
    cli = await buildCli();
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    user = dovecot.addUser();
    await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
    cli?.remove();
  });

  const add = (password: string, imap: string, smtp: string) =>
    cli.run(
      [
        'account',
        'add',
        '--owner',
        OWNER,
        '--email',
        addressOf(user),
        '--imap',
        imap,
        '--smtp',
        smtp,
        '--json',
      ],
      password,
    );
  const accounts = async () =>
    printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'])).accounts;

  it('requires a password', async () => {
    const refused = await add('', `imap://127.0.0.1:${dovecot.port}`, `smtp://127.0.0.1:${postfix.port}`);
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'The mailbox password is missing: pass it on stdin.\n',
    });
  });

  it('saves nothing if the server refuses the password', async () => {
    const refused = await add(
      'wrong',
      `imap://127.0.0.1:${dovecot.port}`,
      `smtp://127.0.0.1:${postfix.port}`,
    );
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(refused.stderr).not.toContain('wrong');
    expect(await accounts()).toEqual([]);
  });

  it('connects a mailbox that serve can read, and account remove deletes it', async () => {
    const named = encodeURIComponent(addressOf(user));
    const added = await add(
      `${PASSWORD}\n`,
      `imap://${named}@127.0.0.1:${dovecot.port}`,
      `smtp://127.0.0.1:${postfix.port}`,
    );
    expect(added).toEqual({ code: 0, stdout: '{"account_id":1}\n', stderr: '' });
    const working = {
      ...{ state: 'working', reason: null },
      ...{ since: expect.any(String) as string, last_worked_at: expect.any(String) as string },
    };
    const account = {
      ...{ account_id: 1, email: addressOf(user), label: addressOf(user), display_name: '' },
      ...{ is_active: true, is_primary: true },
      health: [
        { server: 'reading', ...working },
        { server: 'sending', ...working },
      ],
    };
    expect(await accounts()).toEqual([account]);
    const change = (word: string, args: readonly string[], stdin = '') =>
      cli.run(['account', word, '1', '--owner', OWNER, ...args, '--json'], stdin);
    expect(await change('edit', ['--display-name', 'Ann Lee'])).toMatchObject({ code: 0 });
    expect(await accounts()).toEqual([{ ...account, display_name: 'Ann Lee' }]);
    const wrong = await change('password', [], 'not the password');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('does not accept the user name and password');
    expect(wrong.stderr).not.toContain('not the password');
    expect(await change('password', [], PASSWORD)).toMatchObject({ code: 0 });

    await dovecot.deliver(user, 'From: Ada <ada@example.org>\r\nSubject: By IMAP\r\n\r\nHello.\r\n');
    const made = await cli.run([
      'key',
      'add',
      '--owner',
      OWNER,
      '--name',
      'agent',
      '--preset',
      'read',
      '--json',
    ]);
    const headers = { authorization: `Bearer ${printedBy(made).api_key}` };
    const server = await cli.serve(['serve', '--json']);
    const list = await fetch(`${server.base_url}/v1/messages`, { headers });
    expect(await list.json()).toMatchObject({ result: { messages: [{ subject: 'By IMAP' }], total: 1 } });

    const removed = await cli.run(['account', 'remove', '1', '--owner', OWNER, '--json']);
    expect(removed.stdout).toBe('{"account_id":1}\n');
    const gone = await fetch(`${server.base_url}/v1/messages`, { headers });
    expect(gone.status).toBe(409);
    expect(await gone.json()).toMatchObject({ code: 'no_mail_account_connected' });
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  });
});

/** The ports of Proton Mail Bridge, so that a complete discovery ends on this machine. */
const BRIDGE = { imap: 1143, smtp: 1025 };

describe.skipIf(missingServers().length > 0)(titled('account add without servers'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  let forwards: Forward[] = [];
  const email = 'ada@proton.me';
  const add = ['account', 'add', '--owner', OWNER, '--email', email];

  beforeAll(async () => {
    cli = await buildCli();
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    forwards = await Promise.all([forward(BRIDGE.imap, dovecot.port), forward(BRIDGE.smtp, postfix.port)]);
    await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
  });
  afterAll(async () => {
    for (const { stop } of forwards) stop();
    await postfix?.stop();
    await dovecot?.stop();
    cli?.remove();
  });

  const accounts = async () =>
    printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'])).accounts;
  const connections = () => forwards.map((one) => one.connections());

  it('prints what it found, and connects to nothing, if nobody can confirm', async () => {
    const { code, stdout, stderr } = await cli.run([...add, '--json'], PASSWORD);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`IMAP at 127.0.0.1:1143 (STARTTLS, user ${email})`);
    expect(stderr).toContain('SMTP at 127.0.0.1:1025');
    expect(stderr).toContain('--yes');
    expect(connections()).toEqual([0, 0]);
    expect(await accounts()).toEqual([]);
  });

  it('connects to nothing, and asks for no password, if the answer is no', async () => {
    const { code, stdout } = await cli.typed(add, [['[y/N]', 'n']]);
    expect(code).toBe(1);
    expect(stdout).toContain('Nothing was changed.');
    expect(stdout).not.toContain('Password');
    expect(connections()).toEqual([0, 0]);
  });

  it('shows the servers, and connects after a yes', async () => {
    const { code, stdout } = await cli.typed(add, [
      ['[y/N]', 'yes'],
      ['Mailbox password: ', PASSWORD],
    ]);
    expect(stdout).toContain('IMAP  127.0.0.1:1143 (STARTTLS, user ada@proton.me)');
    expect(stdout).toContain("from Countersign's settings for Proton Mail");
    expect(stdout).toContain('Note  Proton Mail Bridge must run on this machine.');
    expect(stdout).toContain('Account 1 (ada@proton.me) is connected.');
    expect(stdout).not.toContain(PASSWORD);
    expect(code).toBe(0);
    expect(await accounts()).toMatchObject([{ account_id: 1, email }]);
  });

  it('connects at once with --yes, and still prints the servers', async () => {
    const twice = await cli.run([...add, '--yes', '--json'], PASSWORD);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    expect(twice.stderr).toContain('email: is connected already, as account 1');
    await cli.run(['account', 'remove', '1', '--owner', OWNER, '--json']);
    const { code, stdout, stderr } = await cli.run([...add, '--yes', '--json'], PASSWORD);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"account_id":2}\n' });
    expect(stderr).toContain('IMAP  127.0.0.1:1143');
  });

  it.each([
    ['ada@outlook.com', 'Microsoft no longer accepts passwords'],
    ['ada@countersign.invalid', 'No servers were found for ada@countersign.invalid. The DNS'],
    ['ada@localhost', '--imap imaps://USER@'],
  ])('says why %s cannot be connected', async (address, words) => {
    const args = ['account', 'add', '--owner', OWNER, '--email', address, '--yes', '--json'];
    const { code, stdout, stderr } = await cli.run(args, PASSWORD);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
  });
});

interface Forward {
  /** How many connections there have been. */
  connections(): number;
  stop(): void;
}

async function forward(fromPort: number, toPort: number): Promise<Forward> {
  let connections = 0;
  const server = net.createServer((client) => {
    connections += 1;
    const upstream = net.connect(toPort, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(fromPort, '127.0.0.1');
  await once(server, 'listening');
  return { connections: () => connections, stop: () => server.close() };
}

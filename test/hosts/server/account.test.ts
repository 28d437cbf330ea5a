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

  it('saves nothing when the server refuses the password', async () => {
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

  it('connects a mailbox that a server then reads, and account remove forgets it', async () => {
    const named = encodeURIComponent(addressOf(user));
    const added = await add(
      `${PASSWORD}\n`,
      `imap://${named}@127.0.0.1:${dovecot.port}`,
      `smtp://127.0.0.1:${postfix.port}`,
    );
    expect(added).toEqual({ code: 0, stdout: '{"account_id":1}\n', stderr: '' });
    expect(await accounts()).toEqual([
      { account_id: 1, email: addressOf(user), label: addressOf(user), is_active: true, is_primary: true },
    ]);

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

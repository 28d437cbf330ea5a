import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { imapReport } from '../../../adapters/imap/report.ts';
import { type AccessToken, type MailCall, SignInWithdrawn } from '../../../core/ports/mail.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { type MailProvider, startMailProvider } from '../../servers/mail-provider.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';

describe.skipIf(missingServers().length > 0)(titled('an account that signs in at its provider'), () => {
  let provider: MailProvider;
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    provider = await startMailProvider();
    dovecot = await startDovecot({ tokenInfoUrl: provider.tokenInfoUrl });
    postfix = await startPostfix(dovecot);
  });
  afterAll(async () => {
    await postfix.stop();
    await dovecot.stop();
    await provider.stop();
  });

  function callWith(accessToken: AccessToken, user = 'alice', smtp = postfix): MailCall {
    const server = (port: number, tlsFingerprint: string) => ({
      ...{
        host: '127.0.0.1',
        port,
        security: 'starttls',
        user: addressOf(user),
        oauth: true,
        tlsFingerprint,
      },
    });
    const settings = {
      imap: server(dovecot.port, dovecot.certificate.fingerprint),
      smtp: server(smtp.port, smtp.certificate.fingerprint),
    };
    const account = {
      ...{ ownerId: 'o', accountId: 1, email: addressOf(user) },
      settings: async () => settings,
      accessToken,
    };
    return { account, signal: new AbortController().signal, deadlineMs: 20_000 };
  }

  function mailbox() {
    const mail = imapMail({ allowPrivateServers: true });
    onTestFinished(() => mail.close());
    return mail;
  }

  it('reads and sends with an access token', async () => {
    const { accessToken } = await provider.grant('alice');
    const mail = mailbox();
    const call = callWith(async () => accessToken);
    await mail.verify(call);
    expect((await mail.folders(call)).map(({ path }) => path)).toContain('INBOX');
    const bytes = Buffer.from(
      'From: alice@test.local\r\nTo: bob@test.local\r\nSubject: By token\r\n\r\nHello\r\n',
    );
    const envelope = { from: addressOf('alice'), to: [addressOf('bob')] };
    const message = { envelope, bytes, date: new Date(), messageId: '<one@test.local>' };
    await mail.transmit(call, message, async () => true);
    await postfix.delivered();
    expect((await dovecot.messages('bob')).join()).toContain('By token');
  });

  it('sends by the standard mechanism if the server has no other', async () => {
    const strict = await startPostfix(dovecot, { mechanism: 'oauthbearer' });
    onTestFinished(() => strict.stop());
    const { accessToken } = await provider.grant('alice');
    await mailbox().verify(callWith(async () => accessToken, 'alice', strict));
    await expect(mailbox().verify(callWith(async () => 'worn out', 'alice', strict))).rejects.toMatchObject({
      code: 'auth',
    });
  });

  it('gets a new token if the server refuses one, on every server', async () => {
    const { accessToken: old } = await provider.grant('alice');
    const { accessToken: fresh } = await provider.grant('alice');
    await provider.endAccessToken(old);
    const refused: (string | undefined)[] = [];
    const call = callWith(async (token) => {
      refused.push(token);
      return token === undefined ? old : fresh;
    });
    await mailbox().verify(call);
    expect(refused).toEqual([undefined, old, undefined, old]);
  });

  it('reports what is wrong with a token that is new: another mailbox, or no permission for mail', async () => {
    const { accessToken: foreign } = await provider.grant('bob');
    await expect(mailbox().verify(callWith(async () => foreign))).rejects.toMatchObject({
      code: 'auth',
      message: 'the IMAP server does not accept the sign-in at the provider',
    });
    const { accessToken: narrow } = await provider.grant('alice', { scope: 'openid email' });
    await expect(mailbox().verify(callWith(async () => narrow))).rejects.toMatchObject({ code: 'auth' });
  });

  it('passes on that the provider has withdrawn the sign-in', async () => {
    const withdrawn: AccessToken = async () => {
      throw new SignInWithdrawn();
    };
    await expect(mailbox().verify(callWith(withdrawn))).rejects.toBeInstanceOf(SignInWithdrawn);
  });

  it('a report says so', async () => {
    const { accessToken } = await provider.grant('alice');
    const { account, signal } = callWith(async () => accessToken);
    const { imap, smtp } = (await account.settings()) as Parameters<typeof imapReport>[0];
    const signInTo = async (token: string) => {
      const tokens = { accessToken: async () => token };
      const report = await imapReport(
        { imap: { ...imap, ...tokens }, smtp: { ...smtp, ...tokens } },
        { allowPrivateServers: true },
        signal,
      );
      return [...report.imap, ...report.smtp]
        .filter(({ check }) => check === 'sign_in')
        .map(({ state }) => state);
    };
    expect(await signInTo(accessToken)).toEqual(['good', 'good']);
    expect(await signInTo('worn out')).toEqual(['broken', 'broken']);
  });
});

import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { MailCall, MailError } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { freePorts } from '../../servers/ports.ts';
import { type MailProxy, startProxy } from '../../servers/proxy.ts';
import { eventually } from '../../until.ts';
import { writtenBy } from './written-message.ts';

describe.skipIf(missingServers().length > 0)(titled('connections to Dovecot'), () => {
  let dovecot: Dovecot;
  let withoutTls: Dovecot;
  let proxy: MailProxy;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    [dovecot, withoutTls] = await Promise.all([startDovecot(), startDovecot({ tls: false })]);
    proxy = await startProxy('imap', dovecot.port);
  });
  beforeEach(() => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
  });
  afterEach(async () => {
    await mail.close();
    void proxy.script();
  });
  afterAll(async () => {
    await proxy?.stop();
    await Promise.all([dovecot?.stop(), withoutTls?.stop()]);
  });

  function callOn(changes: Partial<MailServer>, limits: Partial<MailCall> = {}): MailCall {
    const server: MailServer = {
      host: '127.0.0.1',
      port: proxy.port,
      security: 'none',
      user: addressOf(user),
      pass: PASSWORD,
      ...changes,
    };
    return {
      account: {
        ownerId: 'owner',
        accountId: 1,
        email: addressOf(user),
        settings: async () => ({ imap: server, smtp: server }),
      },
      signal: new AbortController().signal,
      deadlineMs: 20_000,
      ...limits,
    };
  }

  const INBOX = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 5 } as const;
  const listInbox = (call: MailCall) => mail.list(call, INBOX);

  async function newestOf(call: MailCall): Promise<MessageRow> {
    const [row] = (await mailReader(mail, systemClock).list(call, INBOX)).rows;
    if (row === undefined) throw new Error('the inbox is empty');
    return row;
  }

  describe('the cost of a call', () => {
    it('is one check for new mail and one fetch, once the folder is selected, and for a list one look for deleted messages', async () => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn({});
      const { place } = await newestOf(call);
      void proxy.script();
      await listInbox(call);
      await mail.read(call, place);
      expect(proxy.commands).toEqual(['NOOP', 'SEARCH', 'FETCH', 'NOOP', 'UID FETCH']);
    });

    it('does not include a second connection for another folder beyond the limit of an account', async () => {
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 2 });
      const call = callOn({});
      void proxy.script();
      const paths = ['INBOX', 'Sent', 'Drafts', 'Trash', 'Junk', 'INBOX'];
      const query = { unread: false, order: 'uid', after: undefined, limit: 5 } as const;
      await Promise.all(paths.map((path) => mail.list(call, { path, ...query })));
      expect(proxy.commands.filter((command) => command === 'AUTHENTICATE')).toHaveLength(2);
    });
  });

  describe('that fail', () => {
    it('with a wrong password: auth', async () => {
      const call = callOn({ pass: 'not the password' });
      await expect(mail.folders(call)).rejects.toMatchObject({ code: 'auth' });
      await expect(mail.verify(call)).rejects.toMatchObject({ code: 'auth' });
    });

    it('with a wrong password are not tried again at once', async () => {
      const call = callOn({ pass: 'not the password' });
      await expect(mail.folders(call)).rejects.toMatchObject({ code: 'auth' });
      void proxy.script();
      await expect(mail.folders(call)).rejects.toMatchObject({ code: 'auth' });
      expect(proxy.commands).toEqual([]);
    });

    it('because nobody listens: unavailable', async () => {
      const [port = 0] = await freePorts(1);
      await expect(mail.folders(callOn({ port }))).rejects.toMatchObject({
        code: 'unavailable',
        message: 'nothing listens on the port of the IMAP server',
      });
    });

    it('because the server stays silent: unavailable at the deadline', async () => {
      const silent = net.createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      for (const security of ['none', 'starttls', 'tls'] as const) {
        const call = callOn({ port, security }, { deadlineMs: 150 });
        await expect(mail.verify(call)).rejects.toMatchObject({ code: 'unavailable' });
        await expect(listInbox(call)).rejects.toMatchObject({ code: 'unavailable' });
      }
      silent.close();
    });

    it('because of unusable settings: refused, naming the setting', async () => {
      await expect(mail.folders(callOn({ host: 'mail.example.org' }))).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining(
          'imap.security: plain text is only allowed to a loopback address',
        ) as unknown,
      });
    });
  });

  describe('without STARTTLS', () => {
    it('are not opened to other machines', async () => {
      // This host is this machine, but neither its name nor its address says so.
      const elsewhere = callOn({ host: '0.0.0.0', port: withoutTls.port, security: 'starttls' });
      await expect(mail.folders(elsewhere)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('does not offer STARTTLS') as unknown,
      });
    });

    it('are opened to this machine', async () => {
      expect(await mail.folders(callOn({ port: withoutTls.port, security: 'starttls' }))).not.toEqual([]);
    });
  });

  describe.each(['tls', 'starttls'] as const)('with a certificate, by %s', (security) => {
    const secured = (pinned: { tlsFingerprint?: string }) =>
      callOn({ port: security === 'tls' ? dovecot.tlsPort : dovecot.port, security, ...pinned });

    it('without a trusted issuer are not opened', async () => {
      await expect(mail.folders(secured({}))).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('cannot be verified') as unknown,
      });
    });

    it('that is the pinned one are opened', async () => {
      const { fingerprint } = dovecot.certificate;
      expect(await mail.folders(secured({ tlsFingerprint: fingerprint }))).not.toEqual([]);
    });

    it('that is not the pinned one are not opened', async () => {
      await expect(mail.folders(secured({ tlsFingerprint: '0'.repeat(64) }))).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('not the pinned one') as unknown,
      });
    });
  });

  describe('that end', () => {
    it('while idle are replaced transparently', async () => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn({});
      await listInbox(call);
      await dovecot.restart();
      expect((await listInbox(call)).total).toBe(1);
    });

    it.each(['cut before', 'cut unanswered'] as const)(
      'at the check for new mail are replaced transparently (%s)',
      async (does) => {
        await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
        const call = callOn({});
        await listInbox(call);
        void proxy.script({ at: 1, does });
        expect((await listInbox(call)).total).toBe(1);
        expect(proxy.commands).toEqual(expect.arrayContaining(['NOOP', 'AUTHENTICATE', 'SELECT', 'FETCH']));
      },
    );

    it('with their server are unavailable, and work again once it is back', async () => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn({});
      await listInbox(call);
      await dovecot.crash();
      await expect(listInbox(call)).rejects.toMatchObject({ code: 'unavailable' });
      await dovecot.restart();
      await eventually(async () => expect((await listInbox(call)).total).toBe(1));
    });

    it.each(['cut before', 'cut unanswered', 'hang'] as const)(
      'in a reading command are unavailable (%s)',
      async (does) => {
        await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
        const givenUp = new AbortController();
        const call = callOn({}, { signal: givenUp.signal });
        const { place } = await newestOf(call);
        const happened = proxy.script({ at: 2, does });
        const reading = mail.read(call, place);
        reading.catch(() => undefined);
        await happened;
        if (does === 'hang') givenUp.abort();
        await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
      },
    );
  });

  describe('that end during a change', () => {
    /** Opening the folder, checking that the message exists, the change, and checking that it was stored. */
    const CONVERSATION = ['SELECT', 'UID FETCH', 'UID STORE', 'UID FETCH'];
    const faults = CONVERSATION.flatMap((command, index) =>
      (['cut before', 'cut unanswered', 'hang'] as const).map((does) => ({ does, command, at: index + 1 })),
    );

    it('uses these commands', async () => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn({});
      const { place } = await newestOf(call);
      void proxy.script();
      await mail.setFlag(call, place, 'seen', true, started);
      expect(proxy.commands).toEqual(CONVERSATION);
    });

    it.each(faults)(
      '$does, $command ($at): reports whether it may have been done',
      async ({ does, command, at }) => {
        await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
        const givenUp = new AbortController();
        const call = callOn({}, { signal: givenUp.signal });
        const { place } = await newestOf(call);
        const start = vi.fn(started);
        const happened = proxy.script({ at, does });
        const changing = mail.setFlag(call, place, 'seen', true, start).then(
          (done) => done,
          (error: MailError) => error.code,
        );
        await happened;
        if (does === 'hang') givenUp.abort();
        const outcome = await changing;

        if (command === 'SELECT' && does !== 'hang') expect(outcome).toBe(true);
        else if (at < 3) expect(outcome).toBe('unavailable');
        else expect(outcome).toBe('outcome_unknown');
        expect(start).toHaveBeenCalledTimes(at < 3 && outcome !== true ? 0 : 1);

        void proxy.script();
        const isSeen = (await newestOf(callOn({}))).flags.has('seen');
        if (outcome === true) expect(isSeen).toBe(true);
        if (outcome === 'unavailable') expect(isSeen).toBe(false);
      },
    );

    it('while saving a sent message have an unknown outcome, and the next attempt corrects it', async () => {
      const call = callOn({});
      const message = writtenBy(user);
      await mail.messageWithId(call, 'Sent', message.messageId);
      // The provider gets a moment to save it by itself. An empty folder needs no search.
      void proxy.script({ at: 3, does: 'cut unanswered' });
      await expect(mail.saveSent(call, 'Sent', message)).rejects.toMatchObject({ code: 'outcome_unknown' });
      expect(proxy.commands).toEqual(['NOOP', 'NOOP', 'APPEND']);
      await mail.saveSent(call, 'Sent', message);
      expect(await dovecot.messages(user, 'Sent')).toHaveLength(1);
    });
  });
});

async function started(): Promise<boolean> {
  return true;
}

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { smtpSender } from '../../../adapters/smtp/sender.ts';
import { composeMessage, withDate } from '../../../core/mail/compose.ts';
import type { MailError, Start } from '../../../core/ports/mail.ts';
import type { Outgoing } from '../../../core/ports/mail-sending.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { freePorts } from '../../servers/ports.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../../servers/postfix.ts';
import { type MailProxy, startProxy } from '../../servers/proxy.ts';
import { eventually } from '../../until.ts';

const ALICE = addressOf('alice');

/** Postfix pipelines: MAIL, RCPT and DATA go out together, and so do their replies. */
const CONVERSATION = ['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'BODY'];

const ACCOUNT = { ownerId: 'o', accountId: 1 };

describe.skipIf(missingServers().length > 0)(titled('sending through Postfix'), () => {
  let dovecot: Dovecot;
  /** Without TLS, so that the proxy sees the commands. */
  let plain: Postfix;
  let secure: Postfix;
  let proxy: MailProxy;
  const sender = smtpSender({ allowPrivateServers: true });

  beforeAll(async () => {
    dovecot = await startDovecot();
    [plain, secure] = await Promise.all([startPostfix(dovecot, { tls: false }), startPostfix(dovecot)]);
    proxy = await startProxy('smtp', plain.port);
  });
  afterEach(() => {
    sender.forget('o', 1);
    void proxy.script();
  });
  afterAll(async () => {
    sender.close();
    await proxy?.stop();
    await Promise.all([plain?.stop(), secure?.stop()]);
    await dovecot?.stop();
  });

  function server(changes: Partial<MailServer> = {}): MailServer {
    return { host: '127.0.0.1', port: proxy.port, security: 'none', user: ALICE, pass: PASSWORD, ...changes };
  }

  function send(
    to: readonly string[],
    options: { server?: MailServer; start?: Start; text?: string; limit?: AbortSignal } = {},
  ): Promise<void> {
    const { start = started, text = 'hello', limit = AbortSignal.timeout(60_000) } = options;
    return sender.transmit(
      ACCOUNT,
      async () => options.server ?? server(),
      messageTo(to, text),
      start,
      limit,
    );
  }

  async function arrivedAt(user: string, count: number): Promise<readonly string[]> {
    await eventually(async () => expect(await dovecot.messages(user)).toHaveLength(count));
    return dovecot.messages(user);
  }

  describe('a broken connection', () => {
    const faults: {
      does: 'cut before' | 'cut unanswered' | 'cut answered' | 'hang';
      command: string;
      at: number;
    }[] = [
      ...CONVERSATION.map((command, index) => ({ does: 'cut before' as const, command, at: index + 1 })),
      ...['greeting', ...CONVERSATION].flatMap((command, at) =>
        (['cut unanswered', 'cut answered', 'hang'] as const).map((does) => ({ does, command, at })),
      ),
    ];

    it.each(faults)(
      '$does, $command: it is known whether the message may have been accepted',
      async (fault) => {
        const { does, command, at } = fault;
        const bob = dovecot.addUser();
        const start = vi.fn(started);
        const givenUp = new AbortController();
        const happened = proxy.script({ at, does });
        const sending = send([addressOf(bob)], { start, limit: givenUp.signal }).then(
          () => 'sent',
          (error: MailError) => error.code,
        );
        await happened;
        if (does === 'hang') givenUp.abort();

        // After 354 a short message is on its way in full before we can know that nobody accepts it any more.
        const handedOver = command === 'BODY' || (command === 'DATA' && does === 'cut answered');
        const sent = command === 'BODY' && does === 'cut answered';
        expect(await sending).toBe(sent ? 'sent' : handedOver ? 'outcome_unknown' : 'unavailable');
        expect(start).toHaveBeenCalledTimes(handedOver ? 1 : 0);

        // What is sent now arrives after what was accepted before.
        void proxy.script();
        sender.forget('o', 1);
        await send([addressOf(bob)], { text: 'the next one' });
        const taken = sent || (command === 'BODY' && does === 'cut unanswered');
        const arrived = await arrivedAt(bob, taken ? 2 : 1);
        expect(arrived.filter((message) => message.includes('hello'))).toHaveLength(taken ? 1 : 0);
      },
    );

    it('means not accepted if it breaks in the middle of the message', async () => {
      const bob = dovecot.addUser();
      const start = vi.fn(started);
      void proxy.script({ at: CONVERSATION.length, does: 'cut begun' });
      const text = 'a line of a long text\n'.repeat(400_000);
      await expect(send([addressOf(bob)], { start, text })).rejects.toMatchObject({ code: 'unavailable' });
      expect(start).toHaveBeenCalledTimes(1);
      expect(await dovecot.messages(bob)).toEqual([]);
    });
  });

  describe('a start', () => {
    it('is awaited once the server is ready, before the first byte of the message', async () => {
      const bob = dovecot.addUser();
      void proxy.script();
      const start = vi.fn(async () => {
        expect(proxy.commands).toEqual(CONVERSATION.slice(0, -1));
        return true;
      });
      await send([addressOf(bob)], { start });
      expect(start).toHaveBeenCalledTimes(1);
      expect(proxy.commands).toEqual(CONVERSATION);
      await arrivedAt(bob, 1);
    });

    it.each([
      ['answers no', async () => false],
      ['cannot be recorded', async () => Promise.reject(new Error('the database is gone'))],
    ])('that %s ends the attempt', async (_what, start) => {
      const bob = dovecot.addUser();
      void proxy.script();
      await expect(send([addressOf(bob)], { start })).rejects.toMatchObject({ code: 'not_started' });
      expect(proxy.commands).not.toContain('BODY');
      expect(await dovecot.messages(bob)).toEqual([]);
    });

    it('that resolves after the call was aborted sends nothing', async () => {
      const bob = dovecot.addUser();
      void proxy.script();
      const givenUp = new AbortController();
      const start = async () => {
        givenUp.abort();
        return true;
      };
      const sending = send([addressOf(bob)], { start, limit: givenUp.signal });
      await expect(sending).rejects.toMatchObject({ code: 'unavailable' });
      expect(proxy.commands).not.toContain('BODY');
      expect(await dovecot.messages(bob)).toEqual([]);
    });
  });

  describe('recipients', () => {
    it.each([
      ['unknown', 'refused'],
      ['full', 'refused'],
      ['blocked', 'refused'],
      ['tempfail', 'unavailable'],
    ] as const)('one recipient that is %s makes it %s, alone or among others', async (which, code) => {
      const bob = dovecot.addUser();
      const start = vi.fn(started);
      const bad = RECIPIENTS[which];
      for (const to of [[bad], [addressOf(bob), bad], [bad, addressOf(bob)]]) {
        await expect(send(to, { start })).rejects.toMatchObject({ code });
      }
      expect(start).not.toHaveBeenCalled();
      expect(await dovecot.messages(bob)).toEqual([]);
    });

    it('make it refused if one is deferred and one refused', async () => {
      await expect(send([RECIPIENTS.tempfail, RECIPIENTS.blocked])).rejects.toMatchObject({
        code: 'refused',
      });
    });

    it('are refused if the server takes fewer of them at once, and nobody gets the message', async () => {
      const users = [dovecot.addUser(), dovecot.addUser(), dovecot.addUser()] as const;
      const few = await startPostfix(dovecot, { tls: false, recipients: 2 });
      onTestFinished(() => few.stop());
      const start = vi.fn(started);
      const to = users.map(addressOf);
      const options = { server: server({ port: few.port }), start };
      await expect(send(to, options)).rejects.toMatchObject({
        code: 'refused',
        tooMuch: 'too_many_recipients',
        message: 'the SMTP server takes at most 2 recipients at once, so the message was sent to nobody',
      });
      expect(start).not.toHaveBeenCalled();
      await send(to.slice(1), options);
      await arrivedAt(users[2], 1);
      expect(await dovecot.messages(users[0])).toEqual([]);
    });

    it('that cannot appear in a command are refused', async () => {
      void proxy.script();
      await expect(send(['a>b@example.test\r\nDATA'])).rejects.toMatchObject({ code: 'refused' });
      expect(proxy.commands).not.toContain('MAIL');
    });
  });

  describe('the refusal of', () => {
    it('a sender other than the owner: refused', async () => {
      const message = messageTo([addressOf('bob')], 'hello');
      const forged = { ...message, envelope: { ...message.envelope, from: addressOf('carol') } };
      const limit = AbortSignal.timeout(20_000);
      const sending = sender.transmit(ACCOUNT, async () => server(), forged, started, limit);
      await expect(sending).rejects.toMatchObject({ code: 'refused' });
    });

    it('a wrong password: auth', async () => {
      const wrong = server({ pass: 'not the password' });
      await expect(send([addressOf('bob')], { server: wrong })).rejects.toMatchObject({ code: 'auth' });
      await expect(sender.verify(wrong, AbortSignal.timeout(20_000))).rejects.toMatchObject({ code: 'auth' });
    });

    it.each(['tempfailAtEnd', 'blockedAtEnd'] as const)(
      'a whole message (%s): refused, because it was not accepted',
      async (which) => {
        const start = vi.fn(started);
        await expect(send([RECIPIENTS[which]], { start })).rejects.toMatchObject({ code: 'refused' });
        expect(start).toHaveBeenCalledTimes(1);
      },
    );

    it('a message larger than its limit: refused with both sizes, before anything is sent', async () => {
      const narrow = await startPostfix(dovecot, { tls: false, messageBytes: 1_100_000 });
      onTestFinished(() => narrow.stop());
      const start = vi.fn(started);
      const text = 'a line of a long text\n'.repeat(60_000);
      const options = { server: server({ port: narrow.port }), start, text };
      await expect(send([addressOf('bob')], options)).rejects.toMatchObject({
        code: 'refused',
        tooMuch: 'message_too_large',
        sizes: { bytes: expect.closeTo(1_400_000, -5) as unknown, limitBytes: 1_100_000 },
      });
      expect(start).not.toHaveBeenCalled();
    });
  });

  describe('connections', () => {
    it('are reused after the server proves that it still answers', async () => {
      const bob = dovecot.addUser();
      void proxy.script();
      await send([addressOf(bob)]);
      await send([addressOf(bob)]);
      expect(proxy.commands).toEqual([...CONVERSATION, 'RSET', ...CONVERSATION.slice(2)]);
      await arrivedAt(bob, 2);
    });

    it.each(['cut before', 'cut unanswered'] as const)(
      'that ended while idle are replaced transparently (%s)',
      async (does) => {
        const bob = dovecot.addUser();
        await send([addressOf(bob)]);
        void proxy.script({ at: 1, does });
        await send([addressOf(bob)]);
        expect(proxy.commands).toEqual(['RSET', ...CONVERSATION]);
        await arrivedAt(bob, 2);
      },
    );

    it('are not reused after their account was forgotten', async () => {
      const bob = dovecot.addUser();
      const changed = server({ pass: 'changed' });
      await send([addressOf(bob)]);
      sender.forget('o', 1);
      await expect(send([addressOf(bob)], { server: changed })).rejects.toMatchObject({ code: 'auth' });
      // The server is left alone for a while, unless the settings change.
      await expect(send([addressOf(bob)])).rejects.toMatchObject({ code: 'auth' });
      sender.forget('o', 1);
      const start = async () => {
        sender.forget('o', 1);
        return true;
      };
      await send([addressOf(bob)], { start });
      await expect(send([addressOf(bob)], { server: changed })).rejects.toMatchObject({ code: 'auth' });
    });

    it('to a port where nobody listens: unavailable', async () => {
      const [port = 0] = await freePorts(1);
      await expect(send([addressOf('bob')], { server: server({ port }) })).rejects.toMatchObject({
        code: 'unavailable',
        message: 'nothing listens on the port of the SMTP server',
      });
    });

    it('to other machines are never made without TLS', async () => {
      // This host is this machine, but neither its name nor its address says so.
      const elsewhere = server({ host: '0.0.0.0', port: plain.port, security: 'starttls' });
      await expect(send([addressOf('bob')], { server: elsewhere })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('does not offer STARTTLS') as unknown,
      });
    });

    it('to this machine stay in plain text if STARTTLS is not offered', async () => {
      const bob = dovecot.addUser();
      await send([addressOf(bob)], { server: server({ security: 'starttls' }) });
      await arrivedAt(bob, 1);
    });

    it('to a server that offers no sign-in: auth', async () => {
      const open = await startPostfix(dovecot, { tls: false, auth: false });
      try {
        await expect(send([addressOf('bob')], { server: server({ port: open.port }) })).rejects.toMatchObject(
          {
            code: 'auth',
            message: expect.stringContaining('does not offer a way to sign in') as unknown,
          },
        );
      } finally {
        await open.stop();
      }
    });
  });

  describe.each(['tls', 'starttls'] as const)('a certificate by %s', (security) => {
    const secured = (tlsFingerprint?: string) =>
      server({
        port: security === 'tls' ? secure.tlsPort : secure.port,
        security,
        ...(tlsFingerprint === undefined ? {} : { tlsFingerprint }),
      });

    it('without a trusted issuer is not accepted', async () => {
      await expect(send([addressOf('bob')], { server: secured() })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('cannot be verified') as unknown,
      });
    });

    it('is accepted if it is the pinned one', async () => {
      const bob = dovecot.addUser();
      await send([addressOf(bob)], { server: secured(secure.certificate.fingerprint) });
      await arrivedAt(bob, 1);
    });

    it('is not accepted if a different one is pinned', async () => {
      await expect(send([addressOf('bob')], { server: secured('0'.repeat(64)) })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('not the pinned one') as unknown,
      });
    });
  });
});

async function started(): Promise<boolean> {
  return true;
}

function messageTo(to: readonly string[], text: string): Outgoing {
  const messageId = '<one@example.test>';
  const date = new Date('2024-01-02T03:04:05Z');
  const composed = composeMessage({
    from: { name: 'Alice', address: ALICE },
    to: ['bob@example.test'],
    subject: 'Hello',
    text,
    messageId,
    inReplyTo: null,
    references: [],
    requestId: 'request',
  });
  return { envelope: { from: ALICE, to }, bytes: withDate(composed, date), date, messageId };
}

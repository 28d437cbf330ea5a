import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { messageRow } from '../../../core/mail/message-row.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { InboxVisit, OpenInbox } from '../../../core/ports/mail-watching.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { seedFolder } from '../../lab/bench/maildir.ts';
import { COURIER_PROGRAMS, startCourier } from '../../servers/courier.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { startPostfix } from '../../servers/postfix.ts';
import { type Disguise, type MailProxy, startProxy } from '../../servers/proxy.ts';
import { eventually } from '../../until.ts';
import { callOn, started } from './mailbox-on.ts';

const RENEWAL_MS = 5 * 60_000;
const INBOX = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 5 } as const;

describe.skipIf(missingServers().length > 0)(titled('watching an inbox on Dovecot'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;
  let proxy: MailProxy | undefined;

  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false });
  });
  beforeEach(() => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await mail.close();
    await proxy?.stop();
    proxy = undefined;
  });
  afterAll(() => dovecot?.stop());

  async function throughProxy(disguise: Disguise = {}): Promise<MailProxy> {
    proxy = await startProxy('imap', dovecot.port, disguise);
    return proxy;
  }
  const commands = () => proxy?.commands ?? [];
  const isIdling = () => eventually(() => expect(commands().at(-1)).toBe('IDLE'));

  const deliver = (subject: string) => dovecot.deliver(user, `Subject: ${subject}\r\n\r\nx\r\n`);
  const watch = (call = callOn(dovecot.port, user), visit?: InboxVisit) => watching(mail, call, visit);

  /** Lets the time for the next renewal of IDLE come. */
  function renewals(): { readonly planned: () => number; comes(): void } {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const due = () => timers.mock.calls.filter(([, ms]) => ms === RENEWAL_MS).map(([renew]) => renew);
    return { planned: () => due().length, comes: () => due().at(-1)?.() };
  }

  it('shows each message of a burst that Postfix delivers', async () => {
    const postfix = await startPostfix(dovecot, { tls: false });
    onTestFinished(() => postfix.stop());
    const { account } = callOn(postfix.port, user);
    const { seen, sees } = watch();
    await sees();
    const subjects = Array.from({ length: 12 }, (_, index) => `burst ${index}`);
    for (const subject of subjects) {
      const message = {
        envelope: { from: account.email, to: [account.email] },
        bytes: Buffer.from(`From: ${account.email}\r\nSubject: ${subject}\r\n\r\nx\r\n`),
        date: new Date(),
        messageId: '<burst@example.test>',
      };
      await mail.transmit({ ...callOn(postfix.port, user), account }, message, started);
    }
    await eventually(() => expect(seen.at(-1)?.toSorted()).toEqual(subjects.toSorted()));
  });

  it('reads a backlog of 5,000 with gaps in full pages, the lowest UID first', async () => {
    const letter = { raw: Buffer.from('Subject: x\r\n\r\nx\r\n'), receivedS: 1_700_000_000, seen: false };
    seedFolder(
      dovecot,
      user,
      'INBOX',
      Array.from({ length: 5000 }, () => letter),
    );
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'uid', '100:199,2000:2100,4999']);
    const pages: number[] = [];
    const uids: number[] = [];
    await mail.visitInbox(callOn(dovecot.port, user), async ({ arrivals }) => {
      for (let page = await arrivals(50, 400); ; page = await arrivals(uids.at(-1) ?? 0, 400)) {
        pages.push(page.length);
        uids.push(...page.map(({ place }) => place.uid));
        if (page.length < 400) return;
      }
    });
    const removed = (uid: number) =>
      (uid >= 100 && uid <= 199) || (uid >= 2000 && uid <= 2100) || uid === 4999;
    const expected = Array.from({ length: 4950 }, (_, index) => index + 51).filter((uid) => !removed(uid));
    expect(uids).toEqual(expected);
    expect(pages.slice(0, -1)).toEqual(Array.from({ length: pages.length - 1 }, () => 400));
  });

  it('sees a message that arrives while another one is removed, so that the count stays the same', async () => {
    await deliver('one');
    await deliver('two');
    const { sees, pause } = watch();
    await sees('one', 'two');
    const resume = pause();
    await deliver('three');
    await sees('one', 'two', 'three');
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'subject', 'one']);
    await deliver('four');
    resume();
    await sees('two', 'three', 'four');
  });

  it('returns full pages although messages are removed between the search and the fetch', async () => {
    for (const subject of ['one', 'two', 'three', 'four']) await deliver(subject);
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'uid', '1:2']);
    // As if the first two had still been there at the search.
    const { port } = await throughProxy({
      reply: (line) =>
        line.replace(/^(\* ESEARCH .*ALL )3:4/, '$11:4').replace(/^\* SEARCH 3 4/, '* SEARCH 1 2 3 4'),
    });
    const subjects: string[] = [];
    await mail.visitInbox(callOn(port, user), async (inbox) => {
      subjects.push(...(await subjectsOf(inbox, 0, 2)));
    });
    expect(subjects).toEqual(['three', 'four']);
  });

  describe('a connection', () => {
    it('that is cut while it idles ends the watch as unavailable', async () => {
      const { port } = await throughProxy();
      const { ended, sees } = watch(callOn(port, user));
      await sees();
      await isIdling();
      await proxy?.stop();
      proxy = undefined;
      await expect(ended).rejects.toMatchObject({ name: 'MailError', code: 'unavailable' });
    });

    it('after another one was cut reads no message again: one search shows that none arrived', async () => {
      await deliver('one');
      const { port, script, drop } = await throughProxy();
      const call = callOn(port, user);
      const position = { uid: 0 };
      const visit = async ({ uidNext, arrivals }: OpenInbox) => {
        expect(await arrivals(position.uid, 5)).toHaveLength(position.uid === 0 ? 1 : 0);
        position.uid = uidNext - 1;
      };
      const cut = mail.watchInbox(call, visit);
      await isIdling();
      drop();
      await expect(cut).rejects.toMatchObject({ code: 'unavailable' });
      void script();
      const abort = new AbortController();
      const ended = mail.watchInbox({ ...call, signal: abort.signal }, visit);
      await isIdling();
      expect(commands().slice(commands().indexOf('SELECT'))).toEqual(['SELECT', 'UID SEARCH', 'IDLE']);
      abort.abort();
      expect(await ended).toBe('aborted');
    });

    it('whose server hangs is noticed at the renewal, within the limit of a command', async () => {
      const { port, script } = await throughProxy();
      const renewal = renewals();
      const { ended, sees } = watch(callOn(port, user, { deadlineMs: 2000 }));
      await sees();
      await isIdling();
      const happened = script({ at: 1, does: 'hang' });
      renewal.comes();
      await happened;
      await expect(ended).rejects.toMatchObject({ code: 'unavailable', message: 'the call ran out of time' });
    });

    it('is renewed by selecting the inbox again, which is not a visit', async () => {
      const { port, script } = await throughProxy();
      const renewal = renewals();
      const { seen, sees } = watch(callOn(port, user));
      await sees();
      await isIdling();
      void script();
      renewal.comes();
      await eventually(() => expect(commands()).toEqual(['SELECT', 'IDLE']));
      await eventually(() => expect(renewal.planned()).toBe(2));
      expect(seen).toHaveLength(1);
    });

    it('that announces nothing shows new mail at the renewal, and cannot announce', async () => {
      let isSilent = false;
      const { port } = await throughProxy({
        reply: (line) => (isSilent && /^\* \d+ (EXISTS|RECENT)/.test(line) ? '' : line),
      });
      const renewal = renewals();
      const { seen, sees, ended } = watch(callOn(port, user));
      await sees();
      await eventually(() => expect(renewal.planned()).toBe(1));
      isSilent = true;
      await deliver('unannounced');
      expect(seen).toHaveLength(1);
      // Without EXISTS, the answer to SELECT would be none.
      isSilent = false;
      renewal.comes();
      await sees('unannounced');
      expect(await ended).toBe('cannot_announce');
    });

    it('shows at the renewal that the inbox was replaced', async () => {
      await deliver('one');
      const renewal = renewals();
      const { sees, validities } = watch();
      await sees('one');
      await eventually(() => expect(renewal.planned()).toBe(1));
      await dovecot.doveadm('mailbox update', user, ['--uid-validity', '123456789', 'INBOX']);
      renewal.comes();
      await eventually(() => expect(validities.at(-1)).toBe('123456789'));
      await sees('one');
    });
  });

  describe('a server', () => {
    it('that refuses IDLE cannot announce', async () => {
      const { port } = await throughProxy({
        refusal: (line) => (/^\w+ IDLE/.test(line) ? 'NO not today' : undefined),
      });
      const { ended, seen } = watch(callOn(port, user));
      expect(await ended).toBe('cannot_announce');
      expect(seen).toEqual([[]]);
    });

    it('that ends each IDLE by itself cannot announce', async () => {
      let tag = '';
      const { port } = await throughProxy({
        refusal: (line) => {
          tag = /^(\w+) IDLE/.exec(line)?.[1] ?? tag;
          return undefined;
        },
        reply: (line) => (line.startsWith('+ idling') ? `${line}${tag} OK done\r\n` : line),
      });
      expect(await watch(callOn(port, user)).ended).toBe('cannot_announce');
    });

    it.each([
      'NO [ALERT] Too many simultaneous connections. (Failure)',
      'NO [LIMIT] Maximum number of connections from user+IP exceeded (mail_max_userip_connections=10)',
    ])('that refuses the sign-in with %s has no connection to spare', async (refusal) => {
      const { port } = await throughProxy({
        refusal: (line) => (/^\w+ (AUTHENTICATE|LOGIN)/.test(line) ? refusal : undefined),
      });
      const call = callOn(port, user);
      expect(await watch(call).ended).toBe('no_connection_to_spare');
      await expect(mail.list(call, INBOX)).rejects.toMatchObject({ code: 'unavailable' });
    });

    it('that does not accept the password ends the watch as auth', async () => {
      const { port } = await throughProxy({
        refusal: (line) =>
          /^\w+ (AUTHENTICATE|LOGIN)/.test(line) ? 'NO [AUTHENTICATIONFAILED] no' : undefined,
      });
      await expect(watch(callOn(port, user)).ended).rejects.toMatchObject({ code: 'auth' });
    });
  });

  it('needs a second connection per account', async () => {
    mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
    const { ended, seen } = watch();
    expect(await ended).toBe('no_connection_to_spare');
    expect(seen).toEqual([]);
    expect((await mail.list(callOn(dovecot.port, user), INBOX)).total).toBe(0);
  });

  it('counts against the connections of the account', async () => {
    mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 2 });
    const { port } = await throughProxy();
    const call = callOn(port, user);
    const { sees } = watch(call);
    await sees();
    await Promise.all(Array.from({ length: 4 }, () => mail.list(call, INBOX)));
    expect(commands().filter((command) => command === 'AUTHENTICATE')).toHaveLength(2);
    await deliver('one');
    await sees('one');
  });
});

describe.skipIf(missingServers(COURIER_PROGRAMS).length > 0)(
  titled('a server with one connection per user', COURIER_PROGRAMS),
  () => {
    it.each([
      ['Dovecot', () => startDovecot({ tls: false, maxConnections: 1 })],
      ['Courier', () => startCourier({ maxConnections: 1 })],
    ] as const)('gives it to calls before a watch: %s', async (_name, start) => {
      const server = await start();
      const mail = imapMail({ allowPrivateServers: true });
      onTestFinished(async () => {
        await mail.close();
        await server.stop();
      });
      const call = callOn(server.port, server.addUser());
      // Courier counts a closed connection for a moment.
      await eventually(() => mail.list(call, INBOX), { intervalMs: 200 });
      let total: number | undefined;
      // The visit itself calls for the account, for example to read a message.
      const { ended } = watching(mail, call, async () => {
        total = (await mail.list(call, INBOX)).total;
      });
      expect(await ended).toBe('no_connection_to_spare');
      expect(total).toBe(0);
      expect((await mail.list(call, INBOX)).total).toBe(0);
    });
  },
);

/** Watches an inbox until the test ends. */
function watching(mail: Mail, call: MailCall, visit: InboxVisit = async () => undefined) {
  const abort = new AbortController();
  const seen: string[][] = [];
  const validities: string[] = [];
  let resumed: Promise<void> = Promise.resolve();
  const ended = mail.watchInbox({ ...call, signal: abort.signal }, async (inbox) => {
    seen.push(await subjectsOf(inbox));
    validities.push(inbox.uidValidity);
    await visit(inbox);
    await resumed;
  });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    abort.abort();
    await ended.catch(() => undefined);
  });
  return {
    seen,
    validities,
    ended,
    sees: (...subjects: string[]) =>
      eventually(() => expect(seen.at(-1)).toEqual(subjects), { intervalMs: 5 }),
    /** The next visit does not end before the returned function is called. */
    pause() {
      let resume = () => {};
      resumed = new Promise((resolve) => {
        resume = resolve;
      });
      return () => resume();
    },
  };
}

async function subjectsOf(inbox: OpenInbox, uid = 0, limit = 1000): Promise<string[]> {
  return (await inbox.arrivals(uid, limit)).map((row) => messageRow(row).subject);
}

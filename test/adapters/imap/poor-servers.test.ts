import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { readAt, readRaw } from '../../contracts/mail/read.ts';
import { labelled } from '../../folder-roles.ts';
import { casesOf } from '../../only-long.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import type { Disguise, MailProxy } from '../../servers/proxy.ts';
import { callOn, newestOf, searchFor, started } from './mailbox-on.ts';
import { proxyBefore } from './through-proxy.ts';

describe.skipIf(missingServers().length > 0)(titled('limited servers'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(() => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await mail.close();
  });
  afterAll(() => dovecot?.stop());

  const proxyWith = (disguise?: Disguise) => proxyBefore(dovecot, disguise);

  const subjects = async (call: MailCall, ...words: string[]) =>
    (await mailReader(mail, systemClock).search(call, searchFor(...words))).rows.map(
      ({ subject }) => subject,
    );

  describe('one that searches for ASCII only', () => {
    const badCharset: Disguise = {
      refusal: (line) => (/ SEARCH .*CHARSET/.test(line) ? 'NO [BADCHARSET (US-ASCII)] no' : undefined),
    };

    it('finds words beyond ASCII all the same', async () => {
      await dovecot.deliver(
        user,
        'From: Zoe <zoe@other.example>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nmoor\r\n',
      );
      await dovecot.deliver(
        user,
        'Subject: body\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nsch\xc3\xb6ne gr\xc3\xbc\xc3\x9fe, moor'.replace(
          /[\x80-\xff]+/g,
          (bytes) => Buffer.from(bytes, 'latin1').toString(),
        ),
        { mailbox: 'Archive' },
      );
      await dovecot.deliver(user, 'Subject: other\r\n\r\nmoor\r\n');
      const call = callOn((await proxyWith(badCharset)).port, user);
      expect((await subjects(call, 'Grüße')).sort()).toEqual(['Grüße', 'body']);
      expect((await subjects(call, 'grüße', 'MOOR')).sort()).toEqual(['Grüße', 'body']);
      expect(await subjects(call, 'Grüße', 'zoe')).toEqual(['Grüße']);
      expect(await subjects(call, 'Grüße', 'schöne')).toEqual(['body']);
      expect(await subjects(call, 'Ärger')).toEqual([]);
    });
  });

  describe('one that does not search for text, or counts in no way but the plain one', () => {
    const searched = (proxy: MailProxy) => proxy.commands.filter((name) => name.endsWith('SEARCH')).length;

    beforeEach(async () => {
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
      for (const [name, text] of [
        ['one', 'needle'],
        ['two', 'hay'],
        ['three', 'needle'],
      ]) {
        await dovecot.deliver(user, `From: ${name}@x.example\r\nSubject: ${name}\r\n\r\n${text}\r\n`);
      }
    });

    it.each(['NO', 'BAD'])('finds words and senders all the same (%s)', async (answer) => {
      const proxy = await proxyWith({
        refusal: (line) => (/ SEARCH .*(BODY|FROM) /.test(line) ? `${answer} not supported` : undefined),
      });
      const call = callOn(proxy.port, user);
      const query = { ...searchFor('NEEDLE'), path: 'INBOX' };
      const find = async (changes = {}) =>
        (await mailReader(mail, systemClock).search(call, { ...query, ...changes })).rows
          .map(({ subject }) => subject)
          .toSorted();
      expect(await find()).toEqual(['one', 'three']);
      expect(await find({ from: 'THREE@' })).toEqual(['three']);
      expect(await find({ words: ['nowhere'] })).toEqual([]);
      void proxy.script();
      expect(await find({ from: 'one@' })).toEqual(['one']);
      // It is not asked again for what it has refused.
      expect(searched(proxy)).toBe(1);
    });

    it.each<[string, Disguise]>([
      ['refuses', { refusal: (line) => (/ SEARCH RETURN /.test(line) ? 'BAD what is RETURN' : undefined) }],
      ['refuses', { refusal: (line) => (/ SEARCH RETURN /.test(line) ? 'NO not today' : undefined) }],
      ['ignores', { reply: (line) => line.replace(/^\* ESEARCH .*\r/, '* SEARCH 1 2\r') }],
    ])('that announces ESEARCH and %s it: the second page of a list is there', async (_name, disguise) => {
      const proxy = await proxyWith(disguise);
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      const after = { uidValidity: place.uidValidity, uid: place.uid, internalDateMs: 0 };
      const query = { path: 'INBOX', unread: false, order: 'uid', after, limit: 1 } as const;
      const page = async () => (await mail.list(call, query)).rows.map(({ place: { uid } }) => uid);
      expect(await page()).toEqual([2]);
      void proxy.script();
      expect(await page()).toEqual([2]);
      // For what is marked as deleted, and for the place of the page. Neither is asked for with RETURN again.
      expect(searched(proxy)).toBe(2);
    });
  });

  describe.each(['NO', 'BAD'])('one that refuses to deliver a part of a message (%s)', (answer) => {
    const partial = /BODY(?:\.PEEK)?\[\]<\d+/;
    const proxied = () =>
      proxyWith({ refusal: (line) => (partial.test(line) ? `${answer} whole messages only` : undefined) });

    beforeEach(async () => {
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
      for (const subject of ['one', 'two', 'three'])
        await dovecot.deliver(user, `Subject: ${subject}\r\n\r\nneedle ${subject}\r\n`);
    });

    it('delivers whole ones: one by itself, and several', async () => {
      const proxy = await proxied();
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      expect((await readAt(mailReader(mail, systemClock), call, place)).text).toBe('needle three');
      void proxy.script();
      const places = [3, 1, 2].map((uid) => ({ ...place, uid }));
      const texts = async () => {
        const read = await mailReader(mail, systemClock).readAll(call, places);
        return Promise.all(read.map(async (one) => one && (await readRaw(one)).text));
      };
      expect(await texts()).toEqual(['needle three', 'needle one', 'needle two']);
      await mail.close();
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
      expect(await texts()).toEqual(['needle three', 'needle one', 'needle two']);
    });

    it('is not asked for one again on the same connection', async () => {
      const lines: string[] = [];
      const proxy = await proxyWith({
        refusal: (line) => {
          lines.push(line);
          return partial.test(line) ? `${answer} whole messages only` : undefined;
        },
      });
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      for (const _time of ['first', 'second']) await mail.read(call, place);
      expect(lines.filter((line) => partial.test(line))).toHaveLength(1);
    });

    it('and does not deliver one of them at all: that one is undeliverable', async () => {
      const proxy = await proxyWith({
        refusal: (line) =>
          partial.test(line) || / FETCH 2 .*BODY(?:\.PEEK)?\[\]/.test(line) ? `${answer} no` : undefined,
      });
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      const read = await mailReader(mail, systemClock).readAll(
        call,
        [3, 2, 1].map((uid) => ({ ...place, uid })),
      );
      expect(read.map((one) => one?.row.undeliverable)).toEqual([undefined, true, undefined]);
    });
  });

  describe('a search that fails half way', () => {
    it.each(['refuse', 'cut unanswered', 'cut before'] as const)(
      'fails, or is done in another way (%s), and never returns less',
      async (does) => {
        const mailboxes = ['INBOX', 'Sent', 'Archive', 'Junk'];
        for (const mailbox of mailboxes) {
          await dovecot.deliver(user, 'Subject: one\r\n\r\nneedle\r\n', { mailbox });
        }
        const proxy = await proxyWith();
        const call = callOn(proxy.port, user);
        for (const nth of mailboxes.keys()) {
          // One connection, so that the commands come in the same order each time.
          await mail.close();
          mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
          await subjects(call, 'needle');
          void proxy.script();
          expect(await subjects(call, 'needle')).toHaveLength(mailboxes.length);
          const searches = [...proxy.commands.entries()].filter(([, command]) => command === 'UID SEARCH');
          expect(searches).toHaveLength(mailboxes.length);
          void proxy.script({ at: (searches[nth]?.[0] ?? 0) + 1, does });
          const found = mail.search(call, searchFor('needle'));
          if (does === 'refuse') {
            expect((await found).rows).toHaveLength(mailboxes.length);
          } else await expect(found).rejects.toMatchObject({ code: 'unavailable' });
          void proxy.script();
        }
      },
    );
  });

  describe('one that stores no keywords', () => {
    it('has a label as a copy in a folder of that name', async () => {
      const proxy = await proxyWith({
        reply: (line) => line.replace(/(\[PERMANENTFLAGS \([^)]*?) ?\\\*\)/, '$1)'),
      });
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      expect(await mail.label(call, place, labelled('later'), started)).toBe('copy');
      expect(await dovecot.messages(user, 'later')).toEqual(['Subject: one\n\nx\n']);
    });

    it('and does not report that in advance, has the same', async () => {
      const proxy = await proxyWith({
        refusal: (line) => (/ STORE /.test(line) ? 'NO no keywords' : undefined),
      });
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      expect(await mail.label(call, place, labelled('later'), started)).toBe('copy');
      expect(await mail.label(call, place, labelled('later'), started)).toBe('copy');
    });
  });

  describe('a label', () => {
    it.each(['\\Trash', '\\Seen'])('%s is refused, without a start', async (label) => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn(dovecot.port, user);
      const { place } = await newestOf(mail, call);
      const start = vi.fn(started);
      await expect(mail.label(call, place, labelled(label), start)).rejects.toMatchObject({
        code: 'refused',
      });
      expect(start).not.toHaveBeenCalled();
      expect(await dovecot.messages(user, 'Sent')).toEqual([]);
      expect((await mail.row(call, place))?.flags).toEqual(new Set());
    });

    it('with a meaning for other programs is not a keyword', async () => {
      await dovecot.deliver(user, 'Subject: one\r\n\r\nx\r\n');
      const call = callOn(dovecot.port, user);
      const { place } = await newestOf(mail, call);
      expect(await mail.label(call, place, labelled('$Forwarded'), started)).toBe('copy');
      expect((await mail.row(call, place))?.flags).toEqual(new Set());
    });
  });

  describe('one that does not say what is new', () => {
    it('shows each of several messages with one Message-ID, however many folders they lie in', async () => {
      const ids = 'Message-ID: <root@x.example>\r\n';
      const folders = ['INBOX', 'Sent', 'Archive', 'A', 'B', 'C'];
      for (const mailbox of folders) {
        if (mailbox.length === 1) await dovecot.doveadm('mailbox create', user, [mailbox]);
        await dovecot.deliver(user, `${ids}Subject: in ${mailbox}\r\n\r\nx\r\n`, { mailbox });
      }
      await dovecot.deliver(user, 'In-Reply-To: <root@x.example>\r\nSubject: answer\r\n\r\nx\r\n');
      const proxy = await proxyWith({ reply: (line) => line.replace(/ UIDNEXT \d+(?=[ )])/, '') });
      const call = callOn(proxy.port, user);
      const { place } = await newestOf(mail, call);
      const { rows } = await mailReader(mail, systemClock).thread(call, place);
      expect(rows.map(({ subject }) => subject).sort()).toEqual([
        'answer',
        ...folders.map((folder) => `in ${folder}`).sort(),
      ]);
    });
  });

  describe('a folder that is gone', () => {
    it('between the list and the read contains nothing', async () => {
      await dovecot.deliver(user, 'Message-ID: <kept@x.example>\r\nSubject: kept\r\n\r\nneedle\r\n');
      const proxy = await proxyWith({
        reply: (line) =>
          line.startsWith('* LIST') && line.endsWith('INBOX\r\n')
            ? `* LIST (\\HasNoChildren) "/" Gone\r\n${line}`
            : line,
      });
      const call = callOn(proxy.port, user);
      expect((await mail.folders(call)).map(({ path }) => path)).toContain('Gone');
      expect(await subjects(call, 'needle')).toEqual(['kept']);
      const { place } = await newestOf(mail, call);
      expect(
        (await mailReader(mail, systemClock).thread(call, place)).rows.map(({ subject }) => subject),
      ).toEqual(['kept']);
    });

    it('is not confused with one that cannot be opened for now: the search fails', async () => {
      await dovecot.deliver(user, 'Subject: hidden\r\n\r\nneedle\r\n', { mailbox: 'Archive' });
      const proxy = await proxyWith({
        refusal: (line) => (/ SELECT Archive/.test(line) ? 'NO [INUSE] not now' : undefined),
      });
      await expect(subjects(callOn(proxy.port, user), 'needle')).rejects.toMatchObject({
        code: 'unavailable',
      });
    });

    it('throws not_found if a call names it', async () => {
      await dovecot.doveadm('mailbox create', user, ['Projects']);
      await dovecot.deliver(user, 'Subject: gone\r\n\r\nx\r\n', { mailbox: 'Projects' });
      await dovecot.deliver(user, 'Subject: kept\r\n\r\nx\r\n');
      const call = callOn(dovecot.port, user);
      const { place } = await newestOf(mail, call, 'Projects');
      const kept = await newestOf(mail, call);
      await mail.forget(call.account.ownerId, call.account.accountId);
      await dovecot.doveadm('mailbox delete', user, ['Projects']);
      const gone = { code: 'not_found' };
      const start = vi.fn(started);
      await expect(mail.search(call, { ...searchFor('x'), path: 'Projects' })).rejects.toMatchObject(gone);
      await expect(mail.thread(call, place)).rejects.toMatchObject(gone);
      await expect(mail.attachment(call, place, 0, 1)).rejects.toMatchObject(gone);
      await expect(mail.move(call, place, 'Archive', start)).rejects.toMatchObject(gone);
      await expect(mail.move(call, kept.place, 'Projects', start)).rejects.toMatchObject(gone);
      await expect(mail.label(call, place, labelled('later'), start)).rejects.toMatchObject(gone);
      expect(await mail.readAll(call, [place])).toEqual([undefined]);
      expect(start).not.toHaveBeenCalled();
    });

    it('and was recreated: its new messages are left alone', async () => {
      await dovecot.doveadm('mailbox create', user, ['Projects']);
      await dovecot.deliver(user, 'Subject: before\r\n\r\nx\r\n', { mailbox: 'Projects' });
      const call = callOn(dovecot.port, user);
      const { place } = await newestOf(mail, call, 'Projects');
      await dovecot.doveadm('mailbox delete', user, ['Projects']);
      await dovecot.doveadm('mailbox create', user, ['Projects']);
      await dovecot.deliver(user, 'Subject: after\r\n\r\nx\r\n', { mailbox: 'Projects' });
      // For a while Dovecot shows the old folder to sessions that have it selected.
      const { now } = performance;
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 60_000);
      const start = vi.fn(started);
      await expect(mail.move(call, place, 'Archive', start)).rejects.toMatchObject({ code: 'not_found' });
      await expect(mail.label(call, place, labelled('later'), start)).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(mail.thread(call, place)).rejects.toMatchObject({ code: 'not_found' });
      expect(await mail.readAll(call, [place])).toEqual([undefined]);
      expect(start).not.toHaveBeenCalled();
      expect(await dovecot.messages(user, 'Projects')).toHaveLength(1);
    });
  });

  describe('a connection that is cut, at every command of', () => {
    const reads: readonly [string, (call: MailCall) => Promise<unknown>][] = [
      ['a search', (call) => mail.search(call, { ...searchFor('needle', 'one'), limit: 2 })],
      ['a thread', async (call) => mail.thread(call, (await newestOf(mail, call)).place)],
      [
        'reading several',
        async (call) => {
          const places = [await newestOf(mail, call), await newestOf(mail, call, 'Sent')].map(
            ({ place }) => place,
          );
          return mail.readAll(call, places);
        },
      ],
      ['an attachment', async (call) => mail.attachment(call, (await newestOf(mail, call)).place, 0, 1_000)],
      ['finding a message', async (call) => mail.find(call, await newestOf(mail, call))],
    ];

    const CUTS = ['cut before', 'cut unanswered'] as const;

    it.each(reads)('%s: returns everything, or throws unavailable', async (_name, read) => {
      const attached =
        'Message-ID: <one@x.example>\r\nSubject: one\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nneedle\r\n--b\r\nContent-Type: text/csv\r\n\r\na;b\r\n--b--\r\n';
      await dovecot.deliver(user, attached);
      await dovecot.deliver(user, 'References: <one@x.example>\r\nSubject: Re: one\r\n\r\nneedle\r\n', {
        mailbox: 'Sent',
      });
      const proxy = await proxyWith();
      const call = callOn(proxy.port, user);
      const whole = await read(call);
      void proxy.script();
      await read(call);
      const count = proxy.commands.length;
      expect(count).toBeGreaterThan(1);
      for (let at = 1; at <= count; at += 1) {
        for (const does of casesOf('cut: commands', CUTS, (_cut, turn) => turn === at % 2)) {
          // Every attempt is a new account. Waiting for the pause after a failure would only make this slow.
          await mail.close();
          mail = imapMail({ allowPrivateServers: true });
          await read(call);
          void proxy.script({ at, does });
          const outcome = await read(call).catch((error: unknown) => error);
          void proxy.script();
          if (outcome instanceof Error)
            expect(outcome).toMatchObject({ name: 'MailError', code: 'unavailable' });
          else expect(outcome).toEqual(whole);
        }
      }
    });
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, type DovecotVariant, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { callOn, openMail, searchFor, started } from './mailbox-on.ts';
import { readingService } from './reading-service.ts';
import { proxyBefore } from './through-proxy.ts';

const letter = (name: string, more = '') =>
  `Message-ID: <${name}@x.example>\r\nFrom: ada@x.example\r\nSubject: ${name}\r\n${more}\r\nneedle\r\n`;

describe.skipIf(missingServers().length > 0)(titled('messages marked as deleted'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;
  let call: MailCall;

  beforeAll(async () => {
    dovecot = await startDovecot({ capability: 'IMAP4rev1 LITERAL+ NAMESPACE' });
  });
  beforeEach(async () => {
    user = dovecot.addUser();
    mail = imapMail({ allowPrivateServers: true });
    call = callOn(dovecot.port, user);
    for (const [day, name] of ['first', 'gone', 'last', 'gone too'].entries()) {
      const links = name === 'first' ? '' : 'References: <first@x.example>\r\n';
      await dovecot.deliver(user, letter(name, links), { receivedAt: new Date(Date.UTC(2026, 0, day + 1)) });
    }
    await dovecot.doveadm('flags add', user, ['\\Deleted', 'mailbox', 'INBOX', 'subject', 'gone']);
  });
  afterEach(() => mail.close());
  afterAll(() => dovecot?.stop());

  const SHOWN = ['last', 'first'];
  const subjectsOf = (rows: readonly { readonly header: Uint8Array }[]) =>
    rows.map(({ header }) => /^Subject: (.*)\r$/m.exec(Buffer.from(header).toString('latin1'))?.[1]);

  it.each(['uid', 'date'] as const)('are left out of a list by %s, and of its total', async (order) => {
    for (const unread of [false, true]) {
      const query = { path: 'INBOX', unread, order, after: undefined, limit: 1 } as const;
      const page = await mail.list(call, query);
      expect([subjectsOf(page.rows), page.total, page.more]).toEqual([['last'], 2, true]);
      const [last] = page.rows;
      if (last === undefined) throw new Error('the list is empty');
      const { place, internalDate } = last;
      const after = { ...place, internalDateMs: internalDate.getTime() };
      const next = await mail.list(call, { ...query, after });
      expect([subjectsOf(next.rows), next.total, next.more]).toEqual([['first'], 2, false]);
    }
  });

  it.each([[[]], [['needle']], [['nèedle']]])('are left out of a search for %j', async (words) => {
    const { rows, total } = await mail.search(call, searchFor(...words));
    const expected = words[0] === 'nèedle' ? [] : SHOWN;
    expect([subjectsOf(rows), total]).toEqual([expected, expected.length]);
  });

  it('are left out of a conversation, of news, and of what is found again', async () => {
    const { rows } = await mail.search(call, searchFor('first'));
    const place = rows.at(-1)?.place;
    if (place === undefined) throw new Error('nothing was found');
    const { rows: conversation } = await mailReader(mail, systemClock).thread(call, place);
    expect(new Set(conversation.map(({ subject }) => subject))).toEqual(new Set(SHOWN));
    const arrived: unknown[] = [];
    await mail.visitInbox(call, async (inbox) => {
      expect(inbox.uidNext).toBe(5);
      arrived.push(...subjectsOf(await inbox.arrivals(0, 10)));
    });
    expect(arrived).toEqual([...SHOWN].reverse());
    const gone = { ...place, uid: 2 };
    expect(await mail.row(call, gone)).toBeUndefined();
    expect(await mail.readAll(call, [gone])).toEqual([undefined]);
    await expect(mail.read(call, gone)).rejects.toMatchObject({ code: 'not_found' });
    const wanted = {
      stableId: null,
      internalDate: new Date(Date.UTC(2026, 0, 2)),
      sizeBytes: letter('gone').length,
    };
    expect(await mail.find(call, wanted)).toEqual([]);
  });

  it('are archived once, however often they are archived', async () => {
    const { rows } = await mail.search(call, searchFor('last'));
    const [last] = rows;
    if (last === undefined) throw new Error('nothing was found');
    await mail.move(call, last.place, 'Archive', started);
    await expect(mail.move(call, last.place, 'Archive', started)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await mail.row(call, last.place)).toBeUndefined();
    expect(await dovecot.messages(user, 'Archive')).toHaveLength(1);
    expect((await mail.find(call, last)).map(({ place }) => place.path)).toEqual(['Archive']);
  });
});

/** Says what only IMAP4rev2 says: how many messages of INBOX are marked. */
const rev2 = (marked: () => number): Disguise => ({
  reply: (line) =>
    line.replace(
      /^(\* STATUS "?([^" ]+)"? \()/,
      (_line, start: string, path: string) => `${start}DELETED ${path === 'INBOX' ? marked() : 0} `,
    ),
});

const POOR = { capability: 'IMAP4rev1 LITERAL+ NAMESPACE' };
const UIDPLUS = { capability: 'IMAP4rev1 LITERAL+ NAMESPACE UIDPLUS' };

/**
 * The servers, and how many commands opening and searching take: with marked messages in INBOX, and the same again, when
 * the folders are still selected.
 */
const COUNTING: readonly [
  name: string,
  variant: DovecotVariant,
  rev2: boolean,
  first: number,
  again: number,
][] = [
  ['that numbers its changes', {}, false, 5, 0],
  ['without UIDPLUS', POOR, false, 5, 3],
  ['with UIDPLUS that does not number its changes', UIDPLUS, false, 5, 3],
  ['with IMAP4rev2', UIDPLUS, true, 3, 2],
];

describe.skipIf(missingServers().length > 0)(
  titled('counts of folders with messages marked as deleted'),
  () => {
    describe.each(COUNTING)('on a server %s', (_name, variant, isRev2, first, again) => {
      let dovecot: Dovecot;
      let user: string;
      let marked: number;

      beforeAll(async () => {
        dovecot = await startDovecot(variant);
      });
      beforeEach(async () => {
        user = dovecot.addUser();
        for (const name of ['read', 'unread', 'gone', 'gone read']) await dovecot.deliver(user, letter(name));
        await dovecot.deliver(user, letter('archived'), { mailbox: 'Archive' });
        await dovecot.doveadm('flags add', user, [
          '\\Seen',
          'mailbox',
          'INBOX',
          'subject',
          'read',
          'not',
          'subject',
          'unread',
        ]);
        await mark('add', 'gone');
        marked = 2;
      });
      afterAll(() => dovecot?.stop());

      const mark = (verb: 'add' | 'remove', subject: string) =>
        dovecot.doveadm(`flags ${verb}`, user, ['\\Deleted', 'mailbox', 'INBOX', 'subject', subject]);
      const disguise = () => (isRev2 ? rev2(() => marked) : {});

      it('are the same by every tool', async () => {
        const { port } = await proxyBefore(dovecot, disguise());
        const service = await readingService(user, port);
        async function numbers() {
          const accounts = await service.call('list_accounts');
          const listed = await service.call('summarize_inbox', { limit: 1 });
          const unread = await service.call('list_unread', { limit: 1 });
          if (accounts.status !== 'ok' || listed.status !== 'ok' || unread.status !== 'ok')
            throw new Error('a call failed');
          expect([listed.result.total, unread.result.total]).toEqual([
            inboxOf(accounts.result).total,
            inboxOf(accounts.result).unread,
          ]);
          return inboxOf(accounts.result);
        }
        expect(await numbers()).toEqual({ total: 2, unread: 1 });
        await mark('remove', 'gone');
        marked = 0;
        expect(await numbers()).toEqual({ total: 4, unread: 2 });
        await mark('add', 'unread');
        marked = 1;
        expect(await numbers()).toEqual({ total: 3, unread: 1 });
        await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'deleted']);
        marked = 0;
        expect(await numbers()).toEqual({ total: 3, unread: 1 });
        await dovecot.deliver(user, letter('new'));
        expect(await numbers()).toEqual({ total: 4, unread: 2 });
      });

      it('take few commands', async () => {
        const proxy = await proxyBefore(dovecot, disguise());
        const mail = openMail();
        const call = callOn(proxy.port, user);
        for (const commands of [first, again]) {
          void proxy.script();
          await mail.counts(call);
          const opening = proxy.commands.filter((name) => ['SELECT', 'SEARCH'].includes(name));
          expect(opening).toHaveLength(commands);
        }
      });
    });
  },
);

const counted = z.object({ total: z.int(), unread: z.int() });

function inboxOf(result: unknown): z.infer<typeof counted> {
  const { accounts } = z
    .object({ accounts: z.tuple([z.object({ by_role: z.object({ inbox: counted }) })]) })
    .parse(result);
  return accounts[0].by_role.inbox;
}

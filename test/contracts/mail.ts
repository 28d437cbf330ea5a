import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Draft,
  type ListPosition,
  type Mail,
  type MailAccount,
  type MailCall,
  type MailFlag,
  type MessageRow,
  type Outgoing,
  SENT_COPIES_MAX,
} from '../../core/ports/mail.ts';
import { pathOfRole } from '../folder-roles.ts';
import { changePromises } from './mail/changes.ts';
import { contentPromises } from './mail/contents.ts';
import { hostilePromises } from './mail/hostile.ts';
import { readAt } from './mail/read.ts';
import { lf, type Mailbox, newest as newestOf, started } from './mail/scene.ts';
import { searchPromises } from './mail/search.ts';
import { threadPromises } from './mail/thread.ts';

/** A mailbox for one test: empty but for its folders, with at least an inbox and a Sent folder. */
export interface MailUnderTest {
  readonly mail: Mail;
  readonly account: MailAccount;
  /** Puts a message into a folder, unread, as if another program had done it. */
  deliver(path: string, raw: string, options?: { receivedAt?: Date }): Promise<void>;
  /** The messages of a folder as they lie there, oldest first; the ends of lines may have been changed to LF. */
  messages(path: string): Promise<readonly string[]>;
  /** The keywords of the messages of a folder, oldest first, without the flags that IMAP itself defines. */
  keywords(path: string): Promise<readonly (readonly string[])[]>;
  /** What has arrived so far at `recipient`. */
  arrived(): Promise<readonly string[]>;
  /** An address that takes mail. */
  readonly recipient: string;
  /** An address that the sending server refuses for good. */
  readonly refusedRecipient: string;
  close(): Promise<void>;
}

/** How a server may differ from the others. */
export interface MailDifferences {
  /** It can neither move a message nor remove just one: after a move the original is still there, marked \\Deleted. */
  readonly originalStays?: boolean;
  /** Of a message of more parts it gives, and counts the bytes of, no more than its beginning: so many attachments. */
  readonly attachmentsAtMost?: number;
}

/**
 * What every adapter of the Mail port must do.
 * @param open  gives a mailbox of its own to each test
 */
export function mailContract(
  name: string,
  open: () => Promise<MailUnderTest>,
  differences: MailDifferences = {},
): void {
  describe(`${name}: the contract of a mailbox`, () => {
    let box: MailUnderTest;
    let mail: Mail;
    let call: MailCall;
    let inbox: string;
    let sent: string;

    beforeEach(async () => {
      box = await open();
      mail = box.mail;
      call = { account: box.account, signal: new AbortController().signal, deadlineMs: 20_000 };
      inbox = await pathOfRole(mail, call, 'inbox');
      sent = await pathOfRole(mail, call, 'sent');
    });
    afterEach(() => box?.close());
    const mailbox: Mailbox = () => ({ box, mail, call, inbox, sent });

    const newest = (path: string) => newestOf(mail, call, path);
    const flagsOf = async (row: MessageRow): Promise<MailFlag[]> => [
      ...((await mail.row(call, row.place))?.flags ?? []),
    ];

    describe('verify', () => {
      it('says nothing when both servers can be used', async () => {
        await expect(mail.verify(call)).resolves.toBeUndefined();
      });
    });

    describe('folders and counts', () => {
      it('names each folder once, among them the inbox', async () => {
        const folders = await mail.folders(call, { fresh: true });
        const paths = folders.map(({ path }) => path);
        expect(new Set(paths).size).toBe(paths.length);
        expect(paths.filter((path) => path === 'INBOX')).toHaveLength(1);
        expect(paths).toContain(sent);
        for (const { path, delimiter } of folders) {
          if (path !== 'INBOX' && path.includes(delimiter ?? '/'))
            expect(delimiter).toBe(path.match(/[./]/)?.[0]);
        }
      });

      it('counts all and unread messages of every folder, in the order of the folders', async () => {
        await box.deliver(inbox, aMessage('one'));
        await box.deliver(inbox, aMessage('two'));
        await mail.setFlag(call, (await newest(inbox)).place, 'seen', true, started);
        const counts = await mail.counts(call);
        expect(counts.map(({ path }) => path)).toEqual((await mail.folders(call)).map(({ path }) => path));
        expect(counts.find(({ path }) => path === inbox)).toMatchObject({
          total: 2,
          unread: 1,
        });
        expect(counts.find(({ path }) => path === sent)).toMatchObject({ total: 0, unread: 0 });
      });
    });

    describe('list', () => {
      it('is empty, and knows it, where there is nothing', async () => {
        expect(await list({ path: inbox })).toEqual({ rows: [], more: false, total: 0 });
        expect(await list({ path: inbox, order: 'date' })).toEqual({ rows: [], more: false, total: 0 });
        expect(await list({ path: inbox, unread: true })).toEqual({ rows: [], more: false, total: 0 });
      });

      it('gives the newest first', async () => {
        for (const subject of ['one', 'two', 'three']) await box.deliver(inbox, aMessage(subject));
        const { rows, more, total } = await list({ path: inbox, limit: 2 });
        expect(rows.map(({ subject }) => subject)).toEqual(['three', 'two']);
        expect({ more, total }).toEqual({ more: true, total: 3 });
      });

      it('shows a message that was delivered just before, however often the folder was listed before', async () => {
        for (const subject of ['one', 'two', 'three', 'four']) {
          await box.deliver(inbox, aMessage(subject));
          expect((await list({ path: inbox, limit: 1 })).rows.map((row) => row.subject)).toEqual([subject]);
          expect(
            (await list({ path: inbox, limit: 1, unread: true })).rows.map((row) => row.subject),
          ).toEqual([subject]);
          expect(
            (await list({ path: inbox, limit: 9, order: 'date' })).rows.map((row) => row.subject),
          ).toContain(subject);
        }
      });

      it.each(['uid', 'date'] as const)(
        'ordered by %s, gives every message once over its pages',
        async (order) => {
          // Received in another order than delivered, from days to years apart, and two at the same instant.
          const days = [3, 1, 4, 1, 5, 9, 2].map((day) => day ** 4);
          for (const [index, day] of days.entries()) {
            await box.deliver(inbox, aMessage(`m${index}`), {
              receivedAt: new Date(Date.UTC(2000, 0, day, 12)),
            });
          }
          const byDate = ['m5', 'm4', 'm2', 'm0', 'm6', 'm3', 'm1'];
          const byUid = ['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0'];
          const seen: string[] = [];
          let after: ListPosition | undefined;
          for (let more = true; more; ) {
            const page = await list({ path: inbox, order, after, limit: 2 });
            expect(page.total).toBe(days.length);
            expect(page.rows.length).toBeGreaterThan(0);
            seen.push(...page.rows.map(({ subject }) => subject));
            after = positionOf(page.rows.at(-1));
            more = page.more;
          }
          expect(seen).toEqual(order === 'uid' ? byUid : byDate);
        },
      );

      it('gives only unread ones when asked to, and counts only those', async () => {
        for (const subject of ['one', 'two', 'three', 'four']) await box.deliver(inbox, aMessage(subject));
        await mail.setFlag(call, (await newest(inbox)).place, 'seen', true, started);
        for (const order of ['uid', 'date'] as const) {
          const first = await list({ path: inbox, unread: true, order, limit: 2 });
          expect(first.rows.map(({ subject }) => subject)).toEqual(['three', 'two']);
          expect(first).toMatchObject({ more: true, total: 3 });
          const rest = await list({
            path: inbox,
            unread: true,
            order,
            limit: 2,
            after: positionOf(first.rows.at(-1)),
          });
          expect(rest.rows.map(({ subject }) => subject)).toEqual(['one']);
          expect(rest.more).toBe(false);
        }
      });

      it('is not_found for a folder that is not there, and for a position of another uidValidity', async () => {
        await expect(list({ path: 'No such folder' })).rejects.toMatchObject({ code: 'not_found' });
        await box.deliver(inbox, aMessage('one'));
        const after = { ...positionOf(await newest(inbox)), uidValidity: '1' };
        await expect(list({ path: inbox, after })).rejects.toMatchObject({ code: 'not_found' });
      });

      it('gives a row as a person would read it', async () => {
        await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt: new Date('2024-05-06T07:08:09Z') });
        const row = await newest(inbox);
        expect(row).toMatchObject({
          messageId: '<quarter@other.example>',
          from: 'Zoë Lab <zoe@other.example>',
          subject: 'Grüße',
          date: '2024-05-06T09:00:00+02:00',
          internalDate: new Date('2024-05-06T07:08:09Z'),
          sizeBytes: Buffer.byteLength(WITH_ATTACHMENT),
          flags: new Set(),
        });
        expect(row.place).toEqual({
          path: inbox,
          uidValidity: expect.stringMatching(/^\d+$/) as unknown,
          uid: expect.any(Number) as unknown,
        });
        expect(row.fingerprint).toMatch(/^[0-9a-f]{64}$/);
        expect(await mail.row(call, row.place)).toEqual(row);
      });

      it('lists a message without any header', async () => {
        await box.deliver(inbox, '\r\nonly a body\r\n', { receivedAt: new Date('2024-05-06T07:08:09Z') });
        expect(await newest(inbox)).toMatchObject({
          messageId: null,
          from: '',
          subject: '',
          date: '2024-05-06T07:08:09+00:00',
        });
      });
    });

    describe('read', () => {
      it('gives text, headers and attachments', async () => {
        await box.deliver(inbox, WITH_ATTACHMENT);
        const row = await newest(inbox);
        const content = await readAt(mail, call, row.place);
        expect(content.row).toEqual(row);
        expect(content.text.trim()).toBe('Körper\nzwei');
        expect(content.attachments).toEqual([
          { index: 0, name: 'note.txt', mime: 'text/plain', sizeBytes: 8 },
        ]);
        expect(content.headers).toMatchObject({
          from: [{ name: 'Zoë Lab', address: 'zoe@other.example' }],
          replyTo: [{ name: '', address: 'answers@other.example' }],
          to: [{ name: '', address: 'alice@example.test' }],
          cc: [],
          subject: 'Grüße',
          messageId: '<quarter@other.example>',
          references: ['<a@other.example>', '<b@other.example>'],
        });
      });

      it('does not mark the message as read', async () => {
        await box.deliver(inbox, aMessage('one'));
        const row = await newest(inbox);
        await mail.read(call, row.place);
        expect(await flagsOf(row)).toEqual([]);
      });

      it('is not_found where the place holds no message, or its uidValidity is another', async () => {
        await box.deliver(inbox, aMessage('one'));
        const { place } = await newest(inbox);
        for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
          await expect(mail.read(call, { ...place, ...wrong })).rejects.toMatchObject({ code: 'not_found' });
        }
      });
    });

    describe('row', () => {
      it('is undefined where the place holds no message, or its uidValidity is another', async () => {
        await box.deliver(inbox, aMessage('one'));
        const { place } = await newest(inbox);
        for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
          expect(await mail.row(call, { ...place, ...wrong })).toBeUndefined();
        }
      });
    });

    describe('find', () => {
      it('finds a message in every folder that holds it, and nothing that is not it', async () => {
        const receivedAt = new Date('2024-05-06T07:08:09Z');
        await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt });
        await box.deliver(sent, WITH_ATTACHMENT, { receivedAt });
        const row = await newest(inbox);
        await box.deliver(inbox, `${WITH_ATTACHMENT}longer\r\n`, { receivedAt });
        await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt: new Date('2024-05-06T07:08:10Z') });
        const found = await mail.find(call, { ...row, stableId: null });
        expect(found.map(({ place }) => place.path).sort()).toEqual([inbox, sent].sort());
        expect(found.map(({ fingerprint }) => fingerprint)).toEqual([row.fingerprint, row.fingerprint]);
      });

      it('finds nothing where there is nothing', async () => {
        await box.deliver(inbox, aMessage('one'));
        const wanted = { stableId: null, internalDate: new Date('2024-05-06T07:08:09Z'), sizeBytes: 7 };
        expect(await mail.find(call, wanted)).toEqual([]);
      });
    });

    describe('setFlag', () => {
      it.each(['seen', 'flagged', 'answered', 'forwarded'] as const)(
        'sets %s, takes it away, and may be repeated',
        async (flag) => {
          await box.deliver(inbox, aMessage('one'));
          const row = await newest(inbox);
          for (const on of [true, true, false, false]) {
            expect(await mail.setFlag(call, row.place, flag, on, started)).toBe(true);
            expect(await flagsOf(row)).toEqual(on ? [flag] : []);
          }
        },
      );

      it('asks to start once, and leaves the message alone when told not to', async () => {
        await box.deliver(inbox, aMessage('one'));
        const row = await newest(inbox);
        const start = vi.fn(async () => false);
        await expect(mail.setFlag(call, row.place, 'seen', true, start)).rejects.toMatchObject({
          code: 'not_started',
        });
        expect(start).toHaveBeenCalledTimes(1);
        expect(await flagsOf(row)).toEqual([]);
      });

      it('is not_found, without a start, where the place holds another message or none', async () => {
        await box.deliver(inbox, aMessage('one'));
        const row = await newest(inbox);
        const start = vi.fn(started);
        for (const wrong of [{ uid: row.place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
          const place = { ...row.place, ...wrong };
          await expect(mail.setFlag(call, place, 'seen', true, start)).rejects.toMatchObject({
            code: 'not_found',
          });
        }
        expect(start).not.toHaveBeenCalled();
        expect(await flagsOf(row)).toEqual([]);
      });
    });

    contentPromises(mailbox);
    searchPromises(mailbox);
    threadPromises(mailbox);
    hostilePromises(mailbox, differences);
    changePromises(mailbox, differences);

    describe('compose and transmit', () => {
      it('composes the same bytes from the same draft', () => {
        expect(Buffer.from(mail.compose(draft()))).toEqual(Buffer.from(mail.compose(draft())));
      });

      it('hands the message to its recipient once, byte for byte, with its date on top', async () => {
        const start = vi.fn(started);
        const message = outgoing();
        await mail.transmit(call, message, start);
        expect(start).toHaveBeenCalledTimes(1);
        await vi.waitFor(async () => expect(await box.arrived()).toHaveLength(1), { timeout: 15_000 });
        const [arrived = ''] = await box.arrived();
        expect(lf(arrived)).toContain(
          `Date: Tue, 02 Jan 2024 03:04:05 +0000\n${lf(Buffer.from(message.raw).toString())}`,
        );
      });

      it('hands over nothing when it is told not to start', async () => {
        await expect(mail.transmit(call, outgoing(), async () => false)).rejects.toMatchObject({
          code: 'not_started',
        });
        expect(await box.arrived()).toEqual([]);
      });

      it('hands nothing to anybody when one of several recipients is refused', async () => {
        const start = vi.fn(started);
        const message = outgoing([box.recipient, box.refusedRecipient]);
        await expect(mail.transmit(call, message, start)).rejects.toMatchObject({ code: 'refused' });
        expect(start).not.toHaveBeenCalled();
        expect(await box.arrived()).toEqual([]);
      });
    });

    describe('the Sent folder', () => {
      it('holds a sent message once, read, however often it is saved', async () => {
        const message = outgoing();
        expect(await mail.holdsMessage(call, sent, message.messageId)).toBe(false);
        await mail.saveSent(call, sent, message);
        await mail.saveSent(call, sent, message);
        expect(await mail.holdsMessage(call, sent, message.messageId)).toBe(true);
        expect((await box.messages(sent)).map(lf)).toEqual([
          `Date: Tue, 02 Jan 2024 03:04:05 +0000\n${lf(Buffer.from(message.raw).toString())}`,
        ]);
        expect([...(await newest(sent)).flags]).toEqual(['seen']);
      });

      it('is not appended to when the server saved the message by itself', async () => {
        const message = outgoing();
        await mail.folders(call);
        await box.deliver(
          sent,
          `Date: Tue, 02 Jan 2024 03:04:05 +0000\r\n${Buffer.from(message.raw).toString()}`,
        );
        await mail.saveSent(call, sent, message);
        expect(await box.messages(sent)).toHaveLength(1);
      });

      it('gives exactly the copies from the account to these addresses', async () => {
        const own = box.account.email;
        await box.deliver(sent, `From: ${own}\r\nTo: Ada <Ada@Other.Example>\r\nSubject: x\r\n\r\nx\r\n`);
        await box.deliver(
          sent,
          `From: ${own}\r\nTo: x@other.example\r\nCc: copied@other.example\r\nSubject: x\r\n\r\nx\r\n`,
        );
        await box.deliver(
          sent,
          'From: somebody@else.example\r\nTo: moved@other.example\r\nSubject: x\r\n\r\nx\r\n',
        );
        const asked = [
          'ada@other.example',
          'da@other.example',
          'copied@other.example',
          'moved@other.example',
          'ada@other.exam',
        ];
        const copies = await mail.sentCopies(call, sent, asked);
        expect(copies.flatMap(({ recipients }) => recipients).sort()).toEqual([
          'ada@other.example',
          'copied@other.example',
          'x@other.example',
        ]);
        expect(await mail.sentCopies(call, sent, [])).toEqual([]);
      });

      it('gives of each copy what tells whether the owner wrote it', async () => {
        const own = box.account.email;
        const to = 'To: Ada <ada@other.example>';
        const from = `From: ${own.toUpperCase()}`;
        for (const head of [
          [from, to, 'Message-ID: <one@example.test>', 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?='],
          [from, 'From: other@else.example', to, 'Subject: two senders'],
          [
            'Delivered-To: ada@other.example',
            from,
            to,
            'Message-ID: <three@example.test>',
            'Subject: came in',
          ],
        ]) {
          await box.deliver(sent, [...head, '', 'x', ''].join('\r\n'));
        }
        const recipients = ['ada@other.example'];
        const copies = await mail.sentCopies(call, sent, recipients);
        // A server may go by one of two From headers, and not find it.
        for (const { subject, from } of copies) {
          expect(from).toEqual(subject === 'two senders' ? [own, 'other@else.example'] : [own]);
        }
        expect(copies.filter(({ subject }) => subject !== 'two senders')).toEqual([
          {
            messageId: '<three@example.test>',
            subject: 'came in',
            from: [own],
            recipients,
            wasDelivered: true,
          },
          { messageId: '<one@example.test>', subject: 'Grüße', from: [own], recipients, wasDelivered: false },
        ]);
      });

      it('gives the newest copies of each address, and not all there are', async () => {
        const own = box.account.email;
        const copyTo = (address: string, n: number) =>
          box.deliver(
            sent,
            `From: ${own}\r\nTo: ${address}\r\nMessage-ID: <${n}@x.test>\r\nSubject: x\r\n\r\nx\r\n`,
          );
        await copyTo('rare@other.example', 0);
        for (let n = 1; n <= SENT_COPIES_MAX + 2; n++) await copyTo('often@other.example', n);
        const copies = await mail.sentCopies(call, sent, ['often@other.example', 'rare@other.example']);
        const newest = Array.from(
          { length: SENT_COPIES_MAX },
          (_, n) => `<${SENT_COPIES_MAX + 2 - n}@x.test>`,
        );
        expect(copies.map(({ messageId }) => messageId)).toEqual([...newest, '<0@x.test>']);
      });

      it('that is not there holds nothing, and nothing can be saved in it', async () => {
        expect(await mail.sentCopies(call, 'No such folder', ['ada@other.example'])).toEqual([]);
        expect(await mail.holdsMessage(call, 'No such folder', '<sent-once@example.test>')).toBe(false);
        await expect(mail.saveSent(call, 'No such folder', outgoing())).rejects.toMatchObject({
          code: 'not_found',
        });
      });
    });

    describe('forget', () => {
      it('ends what it holds for an account; the next call begins anew', async () => {
        await box.deliver(inbox, aMessage('one'));
        await mail.forget(box.account.ownerId, box.account.accountId);
        expect((await list({ path: inbox })).total).toBe(1);
      });
    });

    describe('an ended call', () => {
      it('does nothing when its signal was aborted before', async () => {
        await box.deliver(inbox, aMessage('one'));
        const row = await newest(inbox);
        const start = vi.fn(started);
        const ended = { ...call, signal: AbortSignal.abort() };
        await expect(mail.setFlag(ended, row.place, 'seen', true, start)).rejects.toMatchObject({
          code: 'unavailable',
        });
        await expect(mail.transmit(ended, outgoing(), start)).rejects.toMatchObject({ code: 'unavailable' });
        expect(start).not.toHaveBeenCalled();
        expect(await flagsOf(row)).toEqual([]);
        expect(await box.arrived()).toEqual([]);
      });
    });

    function list(query: Partial<Parameters<Mail['list']>[1]> & { path: string }) {
      return mail.list(call, { unread: false, order: 'uid', after: undefined, limit: 20, ...query });
    }

    function draft(to: readonly string[] = [box.recipient]): Draft {
      return {
        from: { name: 'Alice', address: box.account.email },
        to,
        subject: 'Grüße',
        text: 'Hallo,\n.\n..two dots\nschöne Grüße',
        messageId: '<sent-once@example.test>',
        inReplyTo: null,
        references: [],
        requestId: 'request-1',
      };
    }

    function outgoing(to: readonly string[] = [box.recipient]): Outgoing {
      const composed = draft(to);
      return {
        envelope: { from: box.account.email, to },
        raw: mail.compose(composed),
        date: new Date('2024-01-02T03:04:05Z'),
        messageId: composed.messageId,
      };
    }
  });
}

function positionOf(row: MessageRow | undefined): ListPosition {
  if (row === undefined) throw new Error('there is no row');
  return {
    uidValidity: row.place.uidValidity,
    uid: row.place.uid,
    internalDateMs: row.internalDate.getTime(),
  };
}

function aMessage(subject: string): string {
  return `From: bob@example.test\r\nTo: alice@example.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.test>\r\n\r\n${subject}\r\n`;
}

const WITH_ATTACHMENT = [
  'From: =?utf-8?Q?Zo=C3=AB_Lab?= <zoe@other.example>',
  'To: alice@example.test',
  'Reply-To: answers@other.example',
  'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
  'Message-ID: <quarter@other.example>',
  'References: <a@other.example> <b@other.example>',
  'Date: Mon, 6 May 2024 09:00:00 +0200',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="x"',
  '',
  '--x',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'K=F6rper',
  'zwei',
  '--x',
  'Content-Type: text/plain; name="note.txt"',
  'Content-Disposition: attachment; filename="note.txt"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('attached').toString('base64'),
  '--x--',
  '',
].join('\r\n');

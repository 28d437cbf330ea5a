import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import { composeMessage } from '../../../core/mail/compose.ts';
import { type MessageRow, messageRow } from '../../../core/mail/message-row.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { MessagePage } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { attachmentAt, type ReadMessage, readAt, readRaw } from '../../contracts/mail/read.ts';
import { pathOfRole } from '../../folder-roles.ts';
import { type Dovecot, type DovecotVariant, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { newestOf, openMail } from './mailbox-on.ts';

const skipped = missingServers().length > 0;

interface Mailbox {
  readonly user: string;
  readonly call: MailCall;
}

function mailboxOn(dovecot: Dovecot): Mailbox {
  const user = dovecot.addUser();
  const server: MailServer = {
    host: '127.0.0.1',
    port: dovecot.port,
    security: 'none',
    user: addressOf(user),
    pass: PASSWORD,
  };
  const account = {
    ownerId: user,
    accountId: 1,
    email: addressOf(user),
    settings: async () => ({ imap: server, smtp: server }),
  };
  return { user, call: { account, signal: new AbortController().signal, deadlineMs: 25_000 } };
}

function listInbox(mail: Mail, call: MailCall, path = 'INBOX'): Promise<MessagePage> {
  return mail.list(call, { path, unread: false, order: 'uid', after: undefined, limit: 10 });
}

describe.skipIf(skipped)(titled('reading messages from Dovecot'), () => {
  let dovecot: Dovecot;
  const mail = imapMail({ allowPrivateServers: true });
  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  afterAll(async () => {
    await mail.close();
    await dovecot?.stop();
  });

  async function read(raw: string | Uint8Array): Promise<ReadMessage<MessageRow>> {
    const { user, call } = mailboxOn(dovecot);
    await dovecot.deliver(user, raw);
    const [row] = (await listInbox(mail, call)).rows;
    if (row === undefined) throw new Error('the inbox is empty');
    return readAt(mailReader(mail, systemClock), call, row.place);
  }

  it('without headers', async () => {
    const { text, headers, row } = await read('\r\nonly a body\r\n');
    expect({ text, from: headers.from, messageId: headers.messageId, subject: row.subject }).toEqual({
      text: 'only a body',
      from: [],
      messageId: null,
      subject: '',
    });
  });

  it('without a body', async () => {
    expect((await read('Subject: only a header\r\n\r\n')).text).toBe('');
  });

  it('with a structure that is cut off', async () => {
    const raw =
      'Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nthe text';
    expect((await read(raw)).text).toBe('the text');
  });

  it('with a charset that is not the declared one, or does not exist', async () => {
    const latin = Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\nGr\xfc\xdfe\r\n', 'latin1');
    expect((await read(latin)).text).toMatch(/^Gr.+e$/);
    expect((await read('Content-Type: text/plain; charset=x-nonsense\r\n\r\nhello\r\n')).text).toBe('hello');
  });

  it('with raw header bytes without a declared charset', async () => {
    const { row } = await read(
      Buffer.from('Subject: Gr\xfc\xdfe\r\nFrom: Zo\xeb <zoe@other.example>\r\n\r\nx\r\n', 'latin1'),
    );
    expect(row.subject).toMatch(/^Gr.+e$/);
    expect(row.from).toContain('<zoe@other.example>');
  });

  it('with 10 MB of text', async () => {
    const line = 'a line of a very long text\r\n';
    const { text, row } = await read(`Subject: long\r\n\r\n${line.repeat(380_000)}`);
    expect(row.sizeBytes).toBeGreaterThan(10_000_000);
    expect(text.length).toBe((line.length - 1) * 380_000 - 1);
  });

  it('with more attachments than are fetched: the text, and what is known of them', async () => {
    const attached = 27 * 1024 * 1024;
    const base64 = Buffer.alloc(attached, 7).toString('base64').replace(/.{76}/g, '$&\r\n');
    const raw = [
      'From: Zoe <zoe@other.example>',
      'Subject: large',
      'Message-ID: <large@other.example>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      'Content-Type: text/plain',
      '',
      'Send the code.',
      '--c',
      'Content-Type: text/html; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Sch=F6ne Gr=FC=DFe</p>',
      '--c--',
      '--b',
      '',
      'A footer',
      '--b',
      'Content-Type: application/pdf; name="large.pdf"',
      'Content-Disposition: attachment; filename="large.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      base64,
      '--b--',
      '',
    ].join('\r\n');
    const { text, attachments, headers, row } = await read(raw);
    expect(row.sizeBytes).toBe(raw.length);
    expect(text).toBe('Schöne Grüße\nA footer');
    expect(headers).toMatchObject({ subject: 'large', messageId: '<large@other.example>' });
    const [pdf, ...others] = attachments;
    expect(others).toEqual([]);
    expect(pdf).toMatchObject({ index: 0, name: 'large.pdf', mime: 'application/pdf' });
    // The exact size is known only in its encoding until it is fetched.
    expect(Math.abs((pdf?.sizeBytes ?? 0) - attached)).toBeLessThan(100);
  });

  it('with a small attachment beside a large one: each within its fetch limit', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 7);
    const small = Buffer.from('a small note, größer than nothing');
    const raw = [
      'Subject: large',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'the text',
      ...[large, small].flatMap((bytes) => [
        '--b',
        'Content-Type: application/octet-stream',
        'Content-Disposition: attachment; filename="data.bin"',
        'Content-Transfer-Encoding: base64',
        '',
        bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
      ]),
      '--b--',
      '',
    ].join('\r\n');
    const { user, call } = mailboxOn(dovecot);
    await dovecot.deliver(user, raw);
    const [row] = (await listInbox(mail, call)).rows;
    if (row === undefined) throw new Error('the inbox is empty');
    const { attachments } = await readAt(mail, call, row.place);
    expect(attachments).toHaveLength(2);
    const fetched = async (index: number, maxBytes: number) =>
      (await attachmentAt(mail, call, row.place, index, maxBytes))?.bytes;
    const hasBytes = async (index: number, maxBytes: number, bytes: Buffer) => {
      const found = await fetched(index, maxBytes);
      return found instanceof Uint8Array && bytes.equals(found);
    };
    expect(await fetched(0, 1024 * 1024)).toBe('tooLarge');
    expect(await hasBytes(0, 25 * 1024 * 1024, large)).toBe(true);
    expect(await hasBytes(1, 1024, small)).toBe(true);
    expect(await fetched(1, 5)).toBe('tooLarge');
    expect(await fetched(2, 1024)).toBeUndefined();
    const [again] = await mail.readAll(call, [row.place]);
    expect(again && (await readRaw(again)).attachments).toEqual(attachments);
  });

  it('with a text larger than what is fetched: its start, and that there is more', async () => {
    const line = 'a line of a very long text\r\n';
    const { text } = await read(`Subject: long\r\n\r\n${line.repeat(1_000_000)}`);
    expect(text.startsWith('a line of a very long text\na line')).toBe(true);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text).toMatch(/\n\n\[The rest of this message is too large to show\.\]$/);
  });
});

describe.skipIf(skipped)(titled('a recreated Dovecot folder'), () => {
  let dovecot: Dovecot;
  const mail = imapMail({ allowPrivateServers: true });
  beforeAll(async () => {
    dovecot = await startDovecot({ folders: ['Sent', 'Projects'] });
  });
  afterAll(async () => {
    await mail.close();
    await dovecot?.stop();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(['and is selected', 'and is not selected'])('%s has none of its old messages', async (state) => {
    const { user, call } = mailboxOn(dovecot);
    await dovecot.deliver(user, 'Subject: before\r\n\r\nx\r\n', { mailbox: 'Projects' });
    const page = await listInbox(mail, call, 'Projects');
    const [before] = page.rows;
    if (before === undefined) throw new Error('the folder is empty');
    if (state === 'and is not selected') await mail.forget(call.account.ownerId, call.account.accountId);

    await dovecot.doveadm('mailbox delete', user, ['Projects']);
    await dovecot.doveadm('mailbox create', user, ['Projects']);
    await dovecot.deliver(user, 'Subject: after\r\n\r\nx\r\n', { mailbox: 'Projects' });
    // For a while Dovecot shows the old folder to sessions that have it selected.
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 60_000);

    expect(await mail.row(call, before.place)).toBeUndefined();
    await expect(mail.read(call, before.place)).rejects.toMatchObject({ code: 'not_found' });
    const start = async () => true;
    await expect(mail.setFlag(call, before.place, 'seen', true, start)).rejects.toMatchObject({
      code: 'not_found',
    });
    const [after] = (await listInbox(mail, call, 'Projects')).rows;
    expect(after && messageRow(after)).toMatchObject({ subject: 'after', flags: new Set() });
    expect(after?.place.uidValidity).not.toBe(before.place.uidValidity);
  });

  it('that is still selected has the new messages at once for who knows of them', async () => {
    const { user, call } = mailboxOn(dovecot);
    await dovecot.deliver(user, 'Subject: before\r\n\r\nx\r\n', { mailbox: 'Projects' });
    const before = await newestOf(mail, call, 'Projects');
    await dovecot.doveadm('mailbox delete', user, ['Projects']);
    await dovecot.doveadm('mailbox create', user, ['Projects']);
    await dovecot.deliver(user, 'Subject: after\r\n\r\nx\r\n', { mailbox: 'Projects' });

    const { place } = await newestOf(openMail(), call, 'Projects');
    expect(await mail.row(call, place)).toMatchObject({ place });
    // Of what was read before, some may still be there.
    const places = [before.place, place];
    expect(await mail.rows(call, places)).toEqual([undefined, expect.objectContaining({ place })]);
  });
});

describe.skipIf(skipped)(titled('variants of Dovecot'), () => {
  it.each<[string, DovecotVariant, string, string]>([
    ['with all folders below the inbox', { prefix: 'INBOX.' }, 'INBOX.Sent', 'INBOX.Junk'],
    ['without special-use attributes', { specialUse: false }, 'Sent', 'Junk'],
    [
      'with folders named in another language',
      { specialUse: false, folders: ['Gesendete Elemente', 'Spam'] },
      'Gesendete Elemente',
      'Spam',
    ],
    [
      'with few capabilities',
      { capability: 'IMAP4rev1 LITERAL+ ID NAMESPACE CHILDREN UIDPLUS' },
      'Sent',
      'Junk',
    ],
  ])(
    '%s: recognise Sent and spam, and list and store everything as usual',
    async (_name, variant, sent, spam) => {
      const dovecot = await startDovecot(variant);
      const mail = imapMail({ allowPrivateServers: true });
      try {
        const { user, call } = mailboxOn(dovecot);
        for (const subject of ['one', 'two', 'three'])
          await dovecot.deliver(user, `Subject: ${subject}\r\n\r\nx\r\n`);
        expect(await pathOfRole(mail, call, 'sent')).toBe(sent);
        expect(await pathOfRole(mail, call, 'spam')).toBe(spam);
        expect(await pathOfRole(mail, call, 'inbox')).toBe('INBOX');
        expect((await mail.counts(call)).find(({ path }) => path === 'INBOX')).toMatchObject({
          total: 3,
          unread: 3,
        });

        const inbox = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 1 } as const;
        const [newest] = (await mailReader(mail, systemClock).list(call, inbox)).rows;
        if (newest === undefined) throw new Error('the inbox is empty');
        expect(newest.subject).toBe('three');
        const after = { ...newest.place, internalDateMs: newest.internalDate.getTime() };
        const rest = await mailReader(mail, systemClock).list(call, {
          path: 'INBOX',
          unread: false,
          order: 'uid',
          after,
          limit: 1,
        });
        expect(rest).toMatchObject({ rows: [{ subject: 'two' }], more: true, total: 3 });
        expect(await mail.setFlag(call, newest.place, 'flagged', true, async () => true)).toBe(true);

        const bytes = composeMessage({
          from: { name: '', address: addressOf(user) },
          to: ['bob@example.test'],
          subject: 'x',
          text: 'x',
          messageId: '<kept@example.test>',
          inReplyTo: null,
          references: [],
          requestId: 'request',
        });
        const envelope = { from: addressOf(user), to: ['bob@example.test'] };
        const message = { envelope, bytes, date: new Date(), messageId: '<kept@example.test>' };
        await mail.saveSent(call, sent, message);
        expect(await mail.messageWithId(call, sent, '<kept@example.test>')).toBeDefined();
        const copies = await mailReader(mail, systemClock).sentCopies(call, sent, [
          'bob@example.test',
          'ob@example.test',
        ]);
        expect(copies.map(({ recipients }) => recipients)).toEqual([['bob@example.test']]);
      } finally {
        await mail.close();
        await dovecot.stop();
      }
    },
  );
});

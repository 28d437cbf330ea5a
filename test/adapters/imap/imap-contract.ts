import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { attachmentAt, readRaw } from '../../contracts/mail/read.ts';
import { mailContract } from '../../contracts/mail.ts';
import { sizeOf } from '../../only-long.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { imapMailbox } from '../../servers/imap-mailbox.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../../servers/postfix.ts';
import { callOn } from './mailbox-on.ts';

/** An IMAP server for the suite. */
interface ServerUnderTest {
  /** Plain text. */
  readonly port: number;
  /** @returns the name of a user with an empty mailbox */
  addUser(): string | Promise<string>;
  stop(): Promise<void>;
}

type Options = NonNullable<Parameters<typeof mailContract>[2]>;

/** More than an attachment may have. */
const LARGE_MB = sizeOf('imap contract: size', 100, 40);

/** Runs the mailbox contract on a server. Postfix and a Dovecot beside it send and receive. */
export function imapContract(
  name: string,
  start: () => Promise<ServerUnderTest>,
  { programs = [], ...options }: Options & { readonly programs?: readonly string[] } = {},
): void {
  describe.skipIf(missingServers(programs).length > 0)(titled(`imapMail on ${name}`, programs), () => {
    let server: ServerUnderTest;
    let dovecot: Dovecot;
    let postfix: Postfix;
    beforeAll(async () => {
      [server, dovecot] = await Promise.all([start(), startDovecot()]);
      postfix = await startPostfix(dovecot);
    });
    afterAll(async () => {
      await postfix?.stop();
      await Promise.all([server?.stop(), dovecot?.stop()]);
    });

    it(`shows a message of ${LARGE_MB} MB and its neighbours, and fetches only what it shows`, async () => {
      const user = await server.addUser();
      const box = imapMailbox(server.port, user);
      const line = 'QUJD'.repeat(19);
      const head = [
        'From: ada@example.test',
        'Subject: large',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        '',
        'the text',
        '--b',
        'Content-Type: application/octet-stream; name=large.bin',
        'Content-Transfer-Encoding: base64',
        '',
        '',
      ].join('\r\n');
      const content = Buffer.alloc(Math.floor((LARGE_MB * 1024 * 1024) / 78) * 78, `${line}\r\n`);
      await box.deliver('INBOX', 'Subject: before\r\n\r\nx\r\n');
      await box.deliver('INBOX', Buffer.concat([Buffer.from(head), content, Buffer.from('--b--\r\n')]));
      const mail = imapMail({ allowPrivateServers: true });
      const call = callOn(server.port, user);
      const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 10 } as const;
      const reader = mailReader(mail, systemClock);
      const { rows } = await reader.list(call, query);
      expect(rows.map(({ subject }) => subject)).toEqual(['large', 'before']);
      const [large] = rows;
      if (large === undefined) throw new Error('the list is empty');
      expect(large.sizeBytes).toBeGreaterThan(content.length);
      const [raw] = await mail.readAll(call, [large.place]);
      expect(raw && (await readRaw(raw))).toMatchObject({
        text: 'the text',
        attachments: [{ name: 'large.bin' }],
      });
      const found = await attachmentAt(mail, call, large.place, 0, 25 * 1024 * 1024);
      expect(found?.bytes).toBe('tooLarge');
      expect(await reader.find(call, large)).toMatchObject([{ subject: 'large' }]);
      await mail.close();
    });

    mailContract(
      name,
      async () => {
        const mail = imapMail({ allowPrivateServers: true });
        const owner = await server.addUser();
        const recipient = dovecot.addUser();
        const common = {
          host: '127.0.0.1',
          user: addressOf(owner),
          pass: PASSWORD,
        } as const;
        const settings: ImapSettings = {
          imap: { ...common, security: 'none', port: server.port },
          smtp: {
            ...common,
            security: 'tls',
            port: postfix.tlsPort,
            tlsFingerprint: postfix.certificate.fingerprint,
          },
        };
        return {
          mail,
          account: {
            ownerId: 'owner',
            accountId: 1,
            email: addressOf(owner),
            settings: async () => settings,
          },
          ...imapMailbox(server.port, owner),
          arrived: () => dovecot.messages(recipient),
          recipient: addressOf(recipient),
          refusedRecipient: RECIPIENTS.blocked,
          close: () => mail.close(),
        };
      },
      options,
    );
  });
}

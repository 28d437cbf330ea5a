import { afterAll, beforeAll, describe } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { type MailDifferences, mailContract } from '../../contracts/mail.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { imapMailbox } from '../../servers/imap-mailbox.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../../servers/postfix.ts';

/** An IMAP server that the suite runs on. */
interface ServerUnderTest {
  /** Plain text. */
  readonly port: number;
  /** @returns the name of a user with an empty mailbox */
  addUser(): string | Promise<string>;
  stop(): Promise<void>;
}

/** Runs the contract of a mailbox on a server; Postfix and a Dovecot beside it send and receive. */
export function imapContract(
  name: string,
  start: () => Promise<ServerUnderTest>,
  { programs = [], ...differences }: MailDifferences & { readonly programs?: readonly string[] } = {},
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

    mailContract(
      name,
      async () => {
        const mail = imapMail();
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
      differences,
    );
  });
}

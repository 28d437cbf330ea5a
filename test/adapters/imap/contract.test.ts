import { afterAll, beforeAll, describe } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { mailContract } from '../../contracts/mail.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../../servers/postfix.ts';

describe.skipIf(missingServers().length > 0)(titled('imapMail on Dovecot and Postfix'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot);
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  mailContract('imapMail', async () => {
    const mail = imapMail();
    const owner = dovecot.addUser();
    const recipient = dovecot.addUser();
    const common = { host: '127.0.0.1', security: 'tls', user: addressOf(owner), pass: PASSWORD } as const;
    const settings: ImapSettings = {
      imap: { ...common, port: dovecot.tlsPort, tlsFingerprint: dovecot.certificate.fingerprint },
      smtp: { ...common, port: postfix.tlsPort, tlsFingerprint: postfix.certificate.fingerprint },
    };
    return {
      mail,
      account: { ownerId: 'owner', accountId: 1, email: addressOf(owner), settings: async () => settings },
      deliver: (mailbox, raw, options) => dovecot.deliver(owner, raw, { mailbox, ...options }),
      messages: (mailbox) => dovecot.messages(owner, mailbox),
      arrived: () => dovecot.messages(recipient),
      recipient: addressOf(recipient),
      refusedRecipient: RECIPIENTS.blocked,
      close: () => mail.close(),
    };
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { type ImapMailbox, imapMailbox } from '../../servers/imap-mailbox.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';

describe.skipIf(missingServers().length > 0)(titled('watching inboxes on Dovecot'), () => {
  let dovecot: Dovecot;
  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false });
  });
  afterAll(() => dovecot?.stop());

  /** Opens a service with one account on Dovecot and one tracker. */
  async function openService(fill: (mailbox: ImapMailbox) => Promise<void> = async () => undefined) {
    const user = dovecot.addUser();
    const mailbox = imapMailbox(dovecot.port, user);
    await fill(mailbox);
    const storage = sqliteStorage({ file: ':memory:' });
    const service = createService({
      storage,
      // No mail is sent here, and no sending server is running.
      mail: { ...imapMail({ allowPrivateServers: true }), verify: async () => undefined },
      reader: inlineReader(),
      secretKeys: [randomBytes(32)],
      baseUrl: 'http://127.0.0.1:1',
      dashboardUrl: 'http://127.0.0.1:2',
    });
    onTestFinished(() => service.stop());
    const email = addressOf(user);
    const { ownerId } = await service.owners.create({ email });
    const server = {
      host: '127.0.0.1',
      port: dovecot.port,
      security: 'none' as const,
      user: email,
      pass: PASSWORD,
    };
    await service.accounts.connect({ ownerId, email, settings: { imap: server, smtp: server } });
    const tracker = { title: 'Atlas', keywords: 'atlas launch', dueOn: null, addedByAgent: false };
    const now = new Date();
    const { trackerId } = await storage.createTracker({ ownerId, requestId: 'r', now, ...tracker });
    const linked = async () => {
      const found = await service.trackers.show(ownerId, trackerId, { limit: 200 });
      return found?.links.map(({ content }) =>
        content.kind === 'mail' ? content.message.subject : content.kind,
      );
    };
    return { user, mailbox, service, linked };
  }

  const raw = (subject: string, text = 'Text') =>
    `From: Ada <ada@example.org>\r\nSubject: ${subject}\r\nMessage-ID: <${randomBytes(8).toString('hex')}@x>\r\n` +
    `Date: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\n${text}\r\n`;

  it('links what arrives between two checks, also over the connection that is already open', async () => {
    const { mailbox, service, linked } = await openService((there) =>
      there.deliver('INBOX', raw('Atlas launch, last week'), {
        receivedAt: new Date(Date.now() - 7 * 86_400_000),
      }),
    );
    await service.watch();
    expect(await linked()).toEqual([]);
    await mailbox.deliver('INBOX', raw('Atlas launch'));
    await mailbox.deliver('INBOX', raw('Nothing'));
    await mailbox.deliver('INBOX', raw('In the text', 'About the ATLAS\r\nlaunch.'));
    await service.watch();
    expect(await linked()).toEqual(['In the text', 'Atlas launch']);
    await mailbox.deliver('INBOX', raw('Atlas launch again'));
    await service.watch();
    await service.watch();
    expect(await linked()).toEqual(['Atlas launch again', 'In the text', 'Atlas launch']);
  });

  it('starts with an empty inbox', async () => {
    const { mailbox, service, linked } = await openService();
    await service.watch();
    expect(await linked()).toEqual([]);
    await mailbox.deliver('INBOX', raw('Atlas launch'));
    await service.watch();
    expect(await linked()).toEqual(['Atlas launch']);
  });
});

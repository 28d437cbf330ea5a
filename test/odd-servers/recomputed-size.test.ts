import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailboxService, mailboxService } from '../mailbox-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { type MailProxy, startProxy } from '../servers/proxy.ts';

/** Exchange and gateways before other stores estimate RFC822.SIZE, and know better once they have read the message. */
describe.skipIf(missingServers().length > 0)(titled('a server that reports another size later'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let proxy: MailProxy;
  let box: MailboxService;
  let more = 0;

  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    proxy = await startProxy('imap', dovecot.port, {
      reply: (line) => line.replace(/RFC822\.SIZE (\d+)/, (_, size) => `RFC822.SIZE ${Number(size) + more}`),
    });
    const user = dovecot.addUser();
    for (const name of ['one', 'two'])
      await dovecot.deliver(user, `Message-ID: <${name}@x.example>\r\nSubject: ${name}\r\n\r\nx\r\n`);
    const ports = { imap: proxy.port, smtp: postfix.port };
    box = await mailboxService({ user, ports, mode: 'direct' });
  });
  afterAll(async () => {
    await box?.stop();
    await proxy?.stop();
    await postfix?.stop();
    await dovecot?.stop();
  });

  it('keeps the ids of its messages, which can be read and changed', async () => {
    more = 0;
    const [id] = await box.ids();
    more = 17;
    expect(await box.call('get_email', { id })).toMatchObject({ status: 'ok', result: { subject: 'two' } });
    expect(await box.call('mark_read', { id })).toMatchObject({ status: 'ok', executed: true });
    expect(await box.call('archive_email', { id })).toMatchObject({ status: 'ok', executed: true });
  });
});

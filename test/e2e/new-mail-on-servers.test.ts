import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../adapters/imap/mail.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import { createService } from '../../hosts/embedded/countersign.ts';
import { verifyWebhook } from '../../hosts/webhooks/verify-webhook.ts';
import { expectDescribedWebhook } from '../described-webhook.ts';
import { NO_LIMITS } from '../lab/bench/no-limits.ts';
import { callWith } from '../open-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';

const tracker = z.object({ links: z.array(z.object({ folder: z.string(), added_by: z.string() })) });

/** From a message that Postfix delivers to Dovecot, to the webhook that reports it. */
describe.skipIf(missingServers().length > 0)(titled('new mail on real servers'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    receiver = await startWebhookReceiver();
  });
  afterAll(async () => {
    receiver?.close();
    await postfix?.stop();
    await dovecot?.stop();
  });

  it('is reported to a webhook once, even after the server gave the inbox a new UIDVALIDITY', async () => {
    const user = dovecot.addUser();
    const email = addressOf(user);
    await dovecot.deliver(user, 'Subject: Old\r\nMessage-ID: <old@x>\r\n\r\nText\r\n', {
      receivedAt: new Date(Date.now() - 3_600_000),
    });
    const service = createService({
      storage: sqliteStorage({ file: ':memory:' }),
      mail: imapMail({ allowPrivateServers: true }),
      reader: inlineReader(),
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
      secretKeys: [randomBytes(32)],
      baseUrl: 'http://127.0.0.1:1',
      dashboardUrl: 'http://127.0.0.1:2',
      // The test asks until it is told.
      limits: NO_LIMITS,
    });
    onTestFinished(() => service.stop());
    const { ownerId } = await service.owners.create({ email });
    const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
    const settings = { imap: { ...server, port: dovecot.port }, smtp: { ...server, port: postfix.port } };
    await service.accounts.connect({ ownerId, email, settings });
    const key = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes: {} });
    const url = `${receiver.origin}/hook`;
    const { secret } = await service.webhooks.add({ ownerId, keyId: key.keyId, url });
    const send = async (subject: string) => {
      const draft = { to: [email], subject, body: 'Text' };
      const outcome = await callWith(service, key.apiKey, 'send_email', draft);
      if (outcome.status !== 'pending_approval') throw new Error(outcome.status);
      const view = await service.approvals.show(ownerId, outcome.approval.id);
      await service.approvals.approve(ownerId, outcome.approval.id, view?.approval.digest ?? '');
    };
    const subjectOf = async (id: unknown) => {
      const outcome = await callWith(service, key.apiKey, 'get_email', { id });
      if (!('result' in outcome)) throw new Error(`get_email was not answered: ${JSON.stringify(outcome)}`);
      return z.object({ subject: z.string() }).parse(outcome.result).subject;
    };
    const toldOf = async () => {
      const subjects: string[] = [];
      for (const request of receiver.requests) {
        expectDescribedWebhook(request);
        const event = verifyWebhook(request.body, request.headers, secret);
        if (event.type === 'message.received') subjects.push(await subjectOf(event.data.message_id));
      }
      return subjects;
    };

    const call = (tool: string, args: unknown) => callWith(service, key.apiKey, tool, args);
    await call('create_tracker', { title: 'Deliveries', keywords: 'by postfix' });
    service.start();
    await send('By Postfix');
    await expect.poll(toldOf).toEqual(['By Postfix']);
    // The copy in Sent and the message in the inbox are two messages.
    const linkedIn = async () => {
      const outcome = await call('get_tracker', { tracker_id: 1 });
      const { links } = tracker.parse('result' in outcome ? outcome.result : {});
      return links.map(({ folder, added_by }) => `${folder} ${added_by}`).sort();
    };
    await expect.poll(linkedIn).toEqual(['INBOX auto', 'Sent auto']);
    for (const n of [1, 2, 3]) {
      await dovecot.deliver(user, `Subject: Mail ${n}\r\nMessage-ID: <${n}@x>\r\n\r\nText\r\n`);
    }
    // Webhooks come in any order.
    await expect
      .poll(async () => (await toldOf()).toSorted())
      .toEqual(['By Postfix', 'Mail 1', 'Mail 2', 'Mail 3']);

    await dovecot.doveadm('mailbox update', user, ['--uid-validity', '4711', 'INBOX']);
    await dovecot.deliver(user, 'Subject: Meanwhile\r\nMessage-ID: <meanwhile@x>\r\n\r\nText\r\n');
    await expect
      .poll(() => receiver.requests.filter(({ body }) => body.includes('message.received')).length)
      .toBe(5);
    expect((await toldOf()).at(-1)).toBe('Meanwhile');
  });
});

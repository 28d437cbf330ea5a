import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../adapters/imap/mail.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import { createService } from '../../hosts/embedded/countersign.ts';
import { verifyWebhook } from '../../hosts/webhooks/verify-webhook.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { callWith } from '../open-service.ts';
import { EXIM_PROGRAMS, type Exim, startExim } from '../servers/exim.ts';
import { IMAP4D_PROGRAMS, type Imap4d, startImap4d } from '../servers/imap4d.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../servers/missing-servers.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';
import { until } from '../until.ts';

/** How often a watch selects the inbox again. */
const RENEWAL_MS = 5 * 60_000;

/** Within the calls that a key has in a minute. */
const SOON = { intervalMs: 2000 };

const row = z.object({ id: z.string(), subject: z.string(), folder: z.string() });
const rows = z.object({ messages: z.array(row) });
const missing = missingPrograms([...IMAP4D_PROGRAMS, ...EXIM_PROGRAMS]);

/** An agent's whole job on servers that have as little in common with Dovecot and Postfix as Debian offers. */
describe.skipIf(missing.length > 0)(titledWithout(missing, 'imap4d of GNU mailutils, and Exim'), () => {
  let imap4d: Imap4d;
  let exim: Exim;
  beforeAll(async () => {
    imap4d = await startImap4d();
    exim = await startExim(imap4d);
  });
  afterAll(async () => {
    await exim?.stop();
    await imap4d?.stop();
  });

  /** Mail of one user, whose key asks for everything that it changes, and whose owner approves it. */
  async function openMailbox(user: string) {
    const email = addressOf(user);
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.close());
    const service = createService({
      storage: sqliteStorage({ file: ':memory:' }),
      mail: imapMail({ allowPrivateServers: true }),
      reader: inlineReader(),
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
      secretKeys: [randomBytes(32)],
      baseUrl: 'http://127.0.0.1:1',
      dashboardUrl: 'http://127.0.0.1:2',
    });
    onTestFinished(() => service.stop());
    const { ownerId } = await service.owners.create({ email });
    const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
    const settings = { imap: { ...server, port: imap4d.port }, smtp: { ...server, port: exim.port } };
    await service.accounts.connect({ ownerId, email, settings });
    const key = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
    const { secret } = await service.webhooks.add({
      ownerId,
      keyId: key.keyId,
      url: `${receiver.origin}/hook`,
    });

    async function done(tool: string, args: unknown): Promise<unknown> {
      const outcome = await callWith(service, key.apiKey, tool, args);
      if ('result' in outcome) return outcome.result;
      if (outcome.status !== 'pending_approval') throw new Error(`${tool}: ${JSON.stringify(outcome)}`);
      const { id } = outcome.approval;
      const view = await service.approvals.show(ownerId, id);
      const decided = await service.approvals.approve(ownerId, id, view?.approval.digest ?? '');
      expect(decided?.approval.state, tool).toBe('executed');
      return undefined;
    }

    return {
      service,
      done,
      received: () =>
        receiver.requests.flatMap(({ body, headers }) => {
          const event = verifyWebhook(body, headers, secret);
          return event.type === 'message.received' ? [event.data.message_id] : [];
        }),
      unread: async () => rows.parse(await done('list_unread', {})).messages,
      listed: async (folder: string) => rows.parse(await done('summarize_inbox', { folder })).messages,
      found: async (q: string) => rows.parse(await done('search_inbox', { q })).messages,
    };
  }

  it('are read, searched, answered, sorted and watched', async () => {
    const alice = await openMailbox('alice');
    const bob = await openMailbox('bob');
    const timers = vi.spyOn(globalThis, 'setTimeout');
    bob.service.start();
    const renewals = () => timers.mock.calls.flatMap(([renew, ms]) => (ms === RENEWAL_MS ? [renew] : []));
    await until(() => renewals().length > 0);

    const letter = { to: [addressOf('bob')], subject: 'Grüße', body: 'Shall we meet on Thursday?' };
    await alice.done('send_email', letter);
    // This server shows new mail only to those who select the folder after it came, and announces nothing.
    await until(async () => (await bob.listed('inbox')).length === 1, SOON);
    for (const renew of renewals()) renew();
    await until(() => bob.received().length === 1);
    const [id = ''] = bob.received();
    expect(await bob.done('get_email', { id })).toMatchObject({ subject: 'Grüße' });
    expect(await bob.found('Thursday')).toMatchObject([{ id, subject: 'Grüße', folder: 'INBOX' }]);

    await bob.done('send_reply', { id, body: 'Yes.' });
    await until(async () => (await alice.listed('inbox')).length === 1, SOON);
    const [answer] = await alice.listed('inbox');
    expect(answer?.subject).toBe('Re: Grüße');
    expect(await alice.done('get_thread', { id: answer?.id })).toMatchObject({
      messages: [{ subject: 'Grüße' }, { subject: 'Re: Grüße' }],
    });
    await until(async () => (await bob.listed('sent')).length === 1, SOON);

    expect(await bob.unread()).toMatchObject([{ id }]);
    await bob.done('mark_read', { id });
    expect(await bob.unread()).toEqual([]);
    await bob.done('label_email', { id, label: 'Plans' });
    await bob.done('archive_email', { id });
    expect(await bob.listed('inbox')).toEqual([]);
    expect(await bob.listed('archive')).toMatchObject([{ subject: 'Grüße' }]);
  });

  it('are examined by doctor, which says what they lack', async () => {
    const cli: Cli = await buildCli();
    onTestFinished(() => cli.remove());
    const configuration = { allowPrivateServers: ['127.0.0.0/8'] };
    writeFileSync(join(cli.folder, 'countersign.config.json'), JSON.stringify(configuration));
    const owner = 'grace@example.org';
    await cli.run(['owner', 'add', owner], 'correct horse battery staple');
    const added = await cli.run(
      [
        ...['account', 'add', '--owner', owner, '--email', addressOf('carol')],
        ...['--imap', `imap://127.0.0.1:${imap4d.port}`, '--smtp', `smtp://127.0.0.1:${exim.port}`],
      ],
      PASSWORD,
    );
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await cli.run(['doctor', '--owner', owner]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'note    It can neither move messages nor remove a single one (no MOVE, no UIDPLUS)',
    );
    expect(stdout).toContain('It does not store custom keywords: a label is a copy');
  });
});

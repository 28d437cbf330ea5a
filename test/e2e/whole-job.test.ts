import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../adapters/imap/mail.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import type { InboxVisit } from '../../core/ports/mail-watching.ts';
import { createService } from '../../hosts/embedded/countersign.ts';
import { systemClock } from '../../hosts/embedded/system-clock.ts';
import { verifyWebhook } from '../../hosts/webhooks/verify-webhook.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { NO_LIMITS } from '../lab/bench/no-limits.ts';
import { callWith } from '../open-service.ts';
import { COURIER_PROGRAMS, startCourier } from '../servers/courier.ts';
import { CYRUS_PROGRAMS, startCyrus } from '../servers/cyrus.ts';
import { startDovecot } from '../servers/dovecot.ts';
import { EXIM_PROGRAMS, startExim } from '../servers/exim.ts';
import { startGreylisting } from '../servers/greylisting.ts';
import { IMAP4D_PROGRAMS, startImap4d } from '../servers/imap4d.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, missingServers, titledWithout } from '../servers/missing-servers.ts';
import { OPENSMTPD_PROGRAMS, startOpenSmtpd } from '../servers/opensmtpd.ts';
import { startPostfix } from '../servers/postfix.ts';
import { SENDMAIL_PROGRAMS, startSendmail } from '../servers/sendmail.ts';
import { startWebhookReceiver } from '../servers/webhook-receiver.ts';
import { until } from '../until.ts';

/** How often a watch selects the inbox again. */
const RENEWAL_MS = 5 * 60_000;

/** Longer than between two checks of an inbox whose server announces nothing. */
const CHECK_MS = 2 * 60_000;

const row = z.object({ id: z.string(), subject: z.string(), folder: z.string() });
const rows = z.object({ messages: z.array(row) });

interface Pair {
  readonly users: readonly [alice: string, bob: string, carol: string];
  /** Ports. */
  readonly imap: number;
  readonly smtp: number;
  /** A folder that carol shares with bob, with a message about a roadmap. */
  readonly shared?: string;
  /** How many recipients were put off so far. */
  readonly putOff?: () => number;
  /** Connections that who only asks and does not watch may open at once. Undefined: as usual. */
  readonly connections?: number;
}

/** Stops the server after the tests. */
type Keep = <Server extends { stop(): Promise<void> }>(server: Server) => Server;

interface Case {
  readonly title: string;
  readonly missing: readonly string[];
  readonly start: (keep: Keep) => Promise<Pair>;
  /** When new mail is seen. */
  readonly sees: 'what is announced' | 'what is there when it selects again' | 'what a check finds';
  /** What doctor says of them. */
  readonly findings: readonly string[];
}

const PAIRS: readonly Case[] = [
  {
    title: 'imap4d of GNU mailutils, and Exim',
    missing: missingPrograms([...IMAP4D_PROGRAMS, ...EXIM_PROGRAMS]),
    async start(keep) {
      const imap4d = keep(await startImap4d());
      const exim = keep(await startExim(imap4d));
      // Of two sessions, one that knows an older inbox resets its UIDVALIDITY when it selects another folder.
      return { users: ['alice', 'bob', 'carol'], imap: imap4d.port, smtp: exim.port, connections: 1 };
    },
    // It shows new mail only to those who select the folder after it came, and announces nothing.
    sees: 'what is there when it selects again',
    findings: [
      'note    It can neither move messages nor remove a single one (no MOVE, no UIDPLUS)',
      'It does not store custom keywords: a label is a copy',
    ],
  },
  {
    title: 'Courier and OpenSMTPD',
    missing: missingPrograms([...COURIER_PROGRAMS, ...OPENSMTPD_PROGRAMS]),
    async start(keep) {
      const courier = keep(await startCourier());
      const users = [courier.addUser(), courier.addUser(), courier.addUser()] as const;
      const smtpd = keep(await startOpenSmtpd({ users, inboxOf: courier.inboxOf }));
      return { users, imap: courier.port, smtp: smtpd.port };
    },
    sees: 'what is announced',
    findings: [
      'note    It cannot move messages (no MOVE): they are copied, and the original is removed.',
      'note    It does not mark which folders are Sent, Trash and so on (no SPECIAL-USE)',
      'ok      It accepts messages up to 36.7 MB.',
    ],
  },
  {
    title: 'Cyrus and Sendmail',
    missing: missingPrograms([...CYRUS_PROGRAMS, ...SENDMAIL_PROGRAMS]),
    async start(keep) {
      const cyrus = keep(await startCyrus());
      const users = [await cyrus.addUser(), await cyrus.addUser(), await cyrus.addUser()] as const;
      const sendmail = keep(await startSendmail({ users, lmtpSocket: cyrus.lmtpSocket }));
      return { users, imap: cyrus.port, smtp: sendmail.port };
    },
    sees: 'what is announced',
    findings: [
      'ok      A message keeps its id when it is moved.',
      'ok      It reports new mail at once (IDLE).',
      'note    It does not say how large a message may be.',
    ],
  },
  {
    title: 'Dovecot and Postfix, as poor as they can be',
    missing: missingServers(),
    async start(keep) {
      const dovecot = keep(
        await startDovecot({
          capability: 'IMAP4rev1 NAMESPACE',
          prefix: 'INBOX.',
          specialUse: false,
          tls: false,
          maxConnections: 2,
        }),
      );
      const postfix = keep(await startPostfix(dovecot, { tls: false, recipients: 2, messageBytes: 4000 }));
      const users = [dovecot.addUser(), dovecot.addUser(), dovecot.addUser()] as const;
      return { users, imap: dovecot.port, smtp: postfix.port };
    },
    sees: 'what a check finds',
    findings: [
      'note    It can neither move messages nor remove a single one (no MOVE, no UIDPLUS)',
      'note    It does not mark which folders are Sent, Trash and so on (no SPECIAL-USE)',
      'note    It does not report new mail (no IDLE): Countersign checks for it.',
      'ok      The folder for sent is “INBOX.Sent” (recognised by its name).',
      'ok      It accepts messages up to 4 KB.',
    ],
  },
  {
    title: 'Dovecot with views and folders of others, and Postfix that greylists',
    missing: missingServers(),
    async start(keep) {
      const dovecot = keep(await startDovecot({ tls: false, shared: true, views: true }));
      const greylisting = keep(await startGreylisting());
      const postfix = keep(await startPostfix(dovecot, { tls: false, policyPort: greylisting.port }));
      const users = [dovecot.addUser(), dovecot.addUser(), dovecot.addUser()] as const;
      const [, bob, carol] = users;
      await dovecot.doveadm('mailbox create', carol, ['Plans']);
      await dovecot.deliver(carol, 'Subject: Plan\r\n\r\nThe roadmap.\r\n', { mailbox: 'Plans' });
      await dovecot.doveadm('acl set', carol, ['Plans', `user=${addressOf(bob)}`, 'lookup', 'read']);
      const shared = `shared/${carol}/Plans`;
      return { users, imap: dovecot.port, smtp: postfix.port, shared, putOff: () => greylisting.putOff };
    },
    sees: 'what is announced',
    findings: ['It lists folders that it does not open: “Public/Closed”'],
  },
];

/** An agent's whole job on servers that have little in common. */
for (const { title, missing, start, sees, findings } of PAIRS) {
  describe.skipIf(missing.length > 0)(titledWithout(missing, title), () => {
    const stops: (() => Promise<void>)[] = [];
    let pair: Pair;
    beforeAll(async () => {
      pair = await start((server) => {
        stops.unshift(() => server.stop());
        return server;
      });
    });
    afterAll(async () => {
      for (const stop of stops) await stop();
    });

    it('are read, searched, answered, sorted and watched', async () => {
      const [aliceName, bobName, carolName] = pair.users;
      const alice = await openMailbox(pair, aliceName, pair.connections);
      const bob = await openMailbox(pair, bobName);
      const timers = vi.spyOn(globalThis, 'setTimeout');
      const renewals = () => timers.mock.calls.flatMap(([renew, ms]) => (ms === RENEWAL_MS ? [renew] : []));
      bob.service.start();
      await until(() => bob.visits() > 0);

      const letter = {
        to: [addressOf(bobName), addressOf(carolName)],
        subject: 'Grüße',
        body: 'Shall we meet on Thursday?',
      };
      await alice.done('send_email', letter);
      await until(() => bob.has('inbox'));
      if (sees === 'what is there when it selects again') {
        await until(() => renewals().length > 0);
        for (const renew of renewals()) renew();
      }
      if (sees === 'what a check finds') bob.passTime(CHECK_MS);
      await until(() => bob.received().length === 1);
      const [id = ''] = bob.received();
      expect(await bob.done('get_email', { id })).toMatchObject({ subject: 'Grüße' });
      expect(await bob.found('Thursday')).toMatchObject([{ id, subject: 'Grüße', folder: 'INBOX' }]);

      await bob.done('send_reply', { id, body: 'Yes.' });
      await until(() => alice.has('inbox'));
      const [answer] = await alice.listed('inbox');
      expect(answer?.subject).toBe('Re: Grüße');
      await until(() => alice.has('sent'));
      // Both may have come in the same second.
      const thread = rows.parse(await alice.done('get_thread', { id: answer?.id }));
      expect(thread.messages.map(({ subject }) => subject).toSorted()).toEqual(['Grüße', 'Re: Grüße']);
      await until(() => bob.has('sent'));

      expect(await bob.unread()).toMatchObject([{ id }]);
      await bob.done('mark_read', { id });
      // imap4d shows the flags of one session to another only when that selects the folder again.
      await until(async () => (await bob.unread()).length === 0);
      await bob.done('label_email', { id, label: 'Plans' });
      await bob.done('archive_email', { id });
      await until(async () => (await bob.listed('inbox')).length === 0);
      expect(await bob.listed('archive')).toMatchObject([{ subject: 'Grüße' }]);

      const shared = (await bob.found('roadmap')).map(({ folder }) => folder);
      expect(shared).toEqual(pair.shared === undefined ? [] : [pair.shared]);
      if (pair.putOff !== undefined) expect(pair.putOff()).toBeGreaterThan(0);
    });

    it('are examined by doctor, which says what they lack', async () => {
      const { users, imap, smtp } = pair;
      const cli: Cli = await buildCli();
      onTestFinished(() => cli.remove());
      const configuration = { allowPrivateServers: ['127.0.0.0/8'] };
      writeFileSync(join(cli.folder, 'countersign.config.json'), JSON.stringify(configuration));
      const owner = 'grace@example.org';
      await cli.run(['owner', 'add', owner], 'correct horse battery staple');
      const added = await cli.run(
        [
          ...['account', 'add', '--owner', owner, '--email', addressOf(users[2])],
          ...['--imap', `imap://127.0.0.1:${imap}`, '--smtp', `smtp://127.0.0.1:${smtp}`],
        ],
        PASSWORD,
      );
      expect(added).toMatchObject({ code: 0, stderr: '' });
      const { code, stdout } = await cli.run(['doctor', '--owner', owner]);
      expect(code).toBe(0);
      for (const finding of findings) expect(stdout).toContain(finding);
    });
  });
}

/** Mail of one user, whose key asks for everything that it changes, and whose owner approves it. */
async function openMailbox({ imap, smtp }: Pair, user: string, most?: number) {
  const email = addressOf(user);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const connections = most === undefined ? {} : { maxConnectionsPerAccount: most };
  const mail = imapMail({ allowPrivateServers: true, ...connections });
  let visits = 0;
  const counted =
    (visit: InboxVisit): InboxVisit =>
    async (inbox) => {
      await visit(inbox);
      visits += 1;
    };
  let aheadMs = 0;
  const service = createService({
    clock: { ...systemClock, now: () => new Date(Date.now() + aheadMs) },
    storage: sqliteStorage({ file: ':memory:' }),
    mail: {
      ...mail,
      watchInbox: (call, visit) => mail.watchInbox(call, counted(visit)),
      visitInbox: (call, visit) => mail.visitInbox(call, counted(visit)),
    },
    reader: inlineReader(),
    webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    // The test asks until it sees.
    limits: NO_LIMITS,
    // What was put off is tried again after two thirds of it.
    leaseMs: 3000,
  });
  onTestFinished(() => service.stop());
  const { ownerId } = await service.owners.create({ email });
  const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
  const settings = { imap: { ...server, port: imap }, smtp: { ...server, port: smtp } };
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
    await service.approvals.approve(ownerId, id, view?.approval.digest ?? '');
    // A server may put a message off.
    const stateNow = async () => (await service.approvals.show(ownerId, id))?.approval.state;
    await until(async () => {
      await service.recover();
      return (await stateNow()) !== 'approved';
    });
    expect(await stateNow(), tool).toBe('executed');
    return undefined;
  }

  const listed = async (folder: string) => rows.parse(await done('summarize_inbox', { folder })).messages;

  return {
    service,
    done,
    listed,
    /** Whether a folder has its one message. Another one is shown before, as imap4d shows what comes only to who selects anew. */
    async has(folder: 'inbox' | 'sent') {
      await listed('drafts');
      return (await listed(folder)).length === 1;
    },
    /** How often the new mail of the inbox was read. */
    visits: () => visits,
    passTime(ms: number) {
      aheadMs += ms;
    },
    received: () =>
      receiver.requests.flatMap(({ body, headers }) => {
        const event = verifyWebhook(body, headers, secret);
        return event.type === 'message.received' ? [event.data.message_id] : [];
      }),
    unread: async () => rows.parse(await done('list_unread', {})).messages,
    found: async (q: string) => rows.parse(await done('search_inbox', { q })).messages,
  };
}

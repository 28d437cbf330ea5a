import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../core/call/outcome.ts';
import { workAtOnce } from '../at-once.ts';
import { mailboxService } from '../mailbox-service.ts';
import { casesOf } from '../only-long.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { startProxy } from '../servers/proxy.ts';
import { eventually } from '../until.ts';
import { LEASE_MS } from './scene.ts';

const AT_ONCE = 6;
const CUTS = ['cut before', 'cut unanswered', 'cut answered'] as const;

/** What each tool begins with. */
const BEGINNING = /^(ID|AUTHENTICATE|NAMESPACE|ENABLE|LIST|NOOP)$/;

/** Cuts at each of the commands; in the gate one each, in turn, and at the beginning only of the tools that do no more. */
function cutsOf(commands: readonly string[]) {
  const all = commands.flatMap((command, index) => CUTS.map((does) => ({ command, at: index + 1, does })));
  const isAll = commands.every((command) => BEGINNING.test(command));
  return casesOf(
    'cut: commands',
    all,
    ({ command, at, does }) => (isAll || !BEGINNING.test(command)) && does === CUTS[at % CUTS.length],
  );
}

interface Ids {
  readonly first: string;
  readonly second: string;
  readonly recipient: string;
}

/** Every tool that calls the mail server, with its arguments. */
const READS: readonly [string, (ids: Ids) => Record<string, unknown>][] = [
  ['list_accounts', () => ({})],
  ['list_folders', () => ({})],
  ['summarize_inbox', () => ({ limit: 1 })],
  ['list_unread', () => ({})],
  ['search_inbox', () => ({ q: 'needle', from: 'ada' })],
  ['get_email', ({ first }) => ({ id: first })],
  ['get_thread', ({ first }) => ({ id: first })],
  ['list_attachments', ({ first }) => ({ id: first })],
  ['read_attachment', ({ first }) => ({ id: first, index: 0 })],
];

const WRITES: readonly [string, (ids: Ids) => Record<string, unknown>][] = [
  ['archive_email', ({ first }) => ({ id: first })],
  ['delete_email', ({ first, second }) => ({ ids: [first, second] })],
  ['move_email', ({ first }) => ({ id: first, target_folder: 'Projects' })],
  ['label_email', ({ first }) => ({ id: first, label: 'later' })],
  ['label_email', ({ first }) => ({ id: first, label: 'Two words' })],
  ['mark_read', ({ first, second }) => ({ ids: [first, second] })],
  ['mark_unread', ({ first }) => ({ id: first })],
  ['flag_email', ({ first }) => ({ id: first })],
  ['send_email', ({ recipient }) => ({ to: [recipient], subject: 'Sent', body: 'Once.' })],
  ['forward_email', ({ first, recipient }) => ({ id: first, to: [recipient] })],
];

const LETTERS = [
  [
    'From: Ada <ada@example.test>',
    'Message-ID: <one@example.test>',
    'Subject: one',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'needle',
    '--b',
    'Content-Type: text/plain; name=a.txt',
    'Content-Disposition: attachment',
    '',
    'attached',
    '--b--',
    '',
  ],
  ['From: Ada <ada@example.test>', 'References: <one@example.test>', 'Subject: Re: one', '', 'needle', ''],
].map((lines) => lines.join('\r\n'));

describe.skipIf(missingServers().length > 0)(titled('the connection cut at every command of'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false, folders: ['Sent', 'Archive', 'Trash', 'Projects'] });
    postfix = await startPostfix(dovecot, { tls: false });
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  /**
   * Opens a mailbox behind its own proxies, with a key in direct mode and ways to look at folders and arrivals.
   */
  async function openMailbox() {
    const imap = await startProxy('imap', dovecot.port);
    const smtp = await startProxy('smtp', postfix.port);
    const user = dovecot.addUser();
    const recipient = addressOf(dovecot.addUser());
    for (const raw of LETTERS) await dovecot.deliver(user, raw);
    const opened = await mailboxService({
      user,
      ports: { imap: imap.port, smtp: smtp.port },
      mode: 'direct',
      knows: [recipient],
      leaseMs: LEASE_MS,
    });
    const [second = '', first = ''] = await opened.ids();
    return {
      ...opened,
      proxies: { imap, smtp },
      stop: async () => {
        await opened.stop();
        await imap.stop();
        await smtp.stop();
      },
      ids: { first, second, recipient },
      world: async () => [...(await contentsOf(user)), ...(await arrivals(recipient))].sort(),
    };
  }

  /** Lists the contents of each folder: subject and flags. */
  async function contentsOf(user: string): Promise<string[]> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: dovecot.port,
      doSTARTTLS: false,
      auth: { user: addressOf(user), pass: PASSWORD },
      logger: false,
    });
    await client.connect();
    const found: string[] = [];
    for (const { path } of await client.list()) {
      const { exists } = await client.mailboxOpen(path);
      const messages = exists === 0 ? [] : await client.fetchAll('1:*', { envelope: true, flags: true });
      for (const { envelope, flags = new Set() } of messages) {
        const kept = [...flags].filter((flag) => flag !== '\\Recent').sort();
        found.push(`${path}: ${envelope?.subject ?? ''} ${kept.join(' ')}`);
      }
    }
    client.close();
    return found;
  }

  async function arrivals(recipient: string): Promise<string[]> {
    await postfix.delivered();
    const messages = await dovecot.messages(recipient.split('@')[0] ?? '');
    return messages.map((raw) => `arrived: ${/^Subject: (.*)$/m.exec(raw)?.[1] ?? ''}`);
  }

  it.each(READS)('%s: the whole result, or an honest failure', async (tool, argsFor) => {
    const mailbox = await openMailbox();
    const { imap } = mailbox.proxies;
    const args = argsFor(mailbox.ids);
    const whole = withoutNonce(await mailbox.call(tool, args));
    expect(whole).toMatch(/^{"status":"ok"/);
    await mailbox.reconnect();
    void imap.script();
    await mailbox.call(tool, args);
    const commands = [...imap.commands];
    expect(commands.length).toBeGreaterThan(0);
    for (const { command, at, does } of cutsOf(commands)) {
      await mailbox.reconnect();
      void imap.script({ at, does });
      const outcome = await mailbox.call(tool, args);
      void imap.script();
      const where = `${does} ${command} (${at})`;
      if (outcome.status === 'error') expect(outcome.code, where).toBe('upstream_mail_error');
      // Only this one still answers, with the account that cannot be reached.
      else if (tool === 'list_accounts' && withoutNonce(outcome) !== whole) {
        expect(withoutNonce(outcome), where).toMatch(/"folders":\[\],.*"error":/);
      } else expect(withoutNonce(outcome), where).toBe(whole);
    }
    await mailbox.stop();
  });

  describe.each(['imap', 'smtp'] as const)('%s in', (protocol) => {
    const sends = (tool: string) => tool === 'send_email' || tool === 'forward_email';
    const cases = WRITES.filter(([tool]) => protocol === 'imap' || sends(tool));

    it.each(cases)('%s: the answer says what was done', async (tool, argsFor) => {
      const open = async () => {
        const mailbox = await openMailbox();
        // Otherwise there is nothing to mark.
        if (tool === 'mark_unread') await mailbox.call('mark_read', { id: mailbox.ids.first });
        return mailbox;
      };
      const whole = await open();
      const { [protocol]: proxy } = whole.proxies;
      const before = await whole.world();
      void proxy.script();
      expect(wordFor(await whole.call(tool, argsFor(whole.ids)))).toBe('done');
      // The follow-up of a send belongs to it.
      await whole.stop();
      const { commands } = proxy;
      expect(commands.length).toBeGreaterThan(0);
      const done = await whole.world();
      expect(done).not.toEqual(before);

      await workAtOnce(AT_ONCE, cutsOf(commands), async ({ command, at, does }) => {
        const mailbox = await open();
        void mailbox.proxies[protocol].script({ at, does });
        const outcome = await mailbox.call(tool, argsFor(mailbox.ids));
        const where = `${does} ${command} (${at}): ${JSON.stringify(outcome)}`;
        const word = wordFor(outcome);
        if (word === 'done') {
          // The follow-up of a send, such as its copy in Sent, is repeated until it is done.
          const asAnswered = async () => {
            await mailbox.service.recover();
            expect(await mailbox.world(), where).toEqual(done);
          };
          await eventually(asAnswered, { intervalMs: LEASE_MS / 3 });
        } else {
          const after = await mailbox.world();
          if (word === 'not done') expect(after, where).toEqual(before);
          else expect(after.length, where).toBeGreaterThanOrEqual(before.length);
        }
        await mailbox.stop();
      });
    });
  });
});

/** Removes the nonce, which differs each time. */
function withoutNonce(outcome: Outcome): string {
  return JSON.stringify(outcome).replace(/[0-9]{39}/g, 'NONCE');
}

/** Returns what the answer said to the caller. */
function wordFor(outcome: Outcome): 'done' | 'not done' | 'unknown' {
  if (outcome.status === 'error')
    return outcome.code === 'upstream_mail_error' && outcome.details?.reason === 'outcome_unknown'
      ? 'unknown'
      : 'not done';
  if (outcome.status !== 'ok') throw new Error(`the answer is ${JSON.stringify(outcome)}`);
  if (outcome.executed !== true) return 'unknown';
  return JSON.stringify(outcome.result).includes('"done":false') ? 'unknown' : 'done';
}

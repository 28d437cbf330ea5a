import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Outcome } from '../../core/call/outcome.ts';
import { type MailboxService, mailboxService } from '../mailbox-service.ts';
import { casesOf, onlyLong, sizeOf } from '../only-long.ts';
import { CYRUS_PROGRAMS, startCyrus } from '../servers/cyrus.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { type ImapMailbox, imapMailbox, type StoredMessage } from '../servers/imap-mailbox.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type MutatingProxy, startMutatingProxy } from '../servers/mutating-proxy.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { until } from '../until.ts';
import { knownFault } from './known-faults.ts';
import { type Case, imapCases, smtpCases } from './mutations.ts';

/**
 * A real server whose answers are changed one at a time. Of every tool, one of three things holds: the right answer, one that
 * says what is not there (`missing`, `undeliverable`), or an honest error that ends when the server is well again.
 */

/** What held of a tool. `untouched`: nothing was changed. */
type Held = 'right' | 'missing' | 'error' | 'unknown' | 'untouched';

interface Verdict {
  readonly tool: string;
  readonly held: Held | `FAULT: ${string}`;
}

type Argue = (id: string) => Record<string, unknown>;

const READS: readonly (readonly [string, Argue])[] = [
  ['list_accounts', () => ({})],
  ['list_folders', () => ({})],
  ['summarize_inbox', () => ({})],
  ['list_unread', () => ({})],
  ['search_inbox', () => ({ q: 'needle', from: 'ada' })],
  ['get_email', (id) => ({ id })],
  ['get_thread', (id) => ({ id })],
  ['list_attachments', (id) => ({ id })],
  ['read_attachment', (id) => ({ id, index: 0 })],
];

/** A write, and whether it is done: from where its message is afterwards. */
interface Write {
  readonly tool: string;
  /** @param folder  the name that the folder `Two words` has */
  readonly argue: (id: string, folder: string) => Record<string, unknown>;
  /** The flags that the message has before. */
  readonly flags?: readonly string[];
  isDone(stored: readonly StoredMessage[]): boolean;
}

const inOnly = (folder: string) => (stored: readonly StoredMessage[]) =>
  stored.length === 1 && stored[0]?.folder === folder;
const flagged = (flag: string) => (stored: readonly StoredMessage[]) =>
  stored.length === 1 && stored[0]?.folder === 'INBOX' && stored[0].flags.includes(flag);
const unflagged = (stored: readonly StoredMessage[]) =>
  stored.length === 1 && stored[0]?.folder === 'INBOX' && stored[0].flags.length === 0;
const inBoth = (folder: string) => (stored: readonly StoredMessage[]) =>
  stored.length === 2 && ['INBOX', folder].every((path) => stored.some((one) => one.folder === path));

const WRITES: readonly Write[] = [
  { tool: 'archive_email', argue: (id) => ({ id }), isDone: inOnly('Archive') },
  { tool: 'delete_email', argue: (id) => ({ id }), isDone: inOnly('Trash') },
  {
    tool: 'move_email',
    argue: (id, folder) => ({ id, target_folder: folder }),
    isDone: inOnly('Two words'),
  },
  {
    tool: 'label_email',
    argue: (id) => ({ id, label: 'later' }),
    // A copy, where the server does not say that it keeps keywords.
    isDone: (stored) => flagged('later')(stored) || inBoth('later')(stored),
  },
  { tool: 'label_email', argue: (id) => ({ id, label: 'Two words' }), isDone: inBoth('Two words') },
  { tool: 'mark_read', argue: (id) => ({ id }), isDone: flagged('\\Seen') },
  { tool: 'mark_unread', argue: (id) => ({ id }), flags: ['\\Seen'], isDone: unflagged },
  { tool: 'flag_email', argue: (id) => ({ id }), isDone: flagged('\\Flagged') },
];

const MOVES = WRITES.slice(0, 3);

type Send = readonly [
  tool: string,
  argue: (id: string, to: string, subject: string) => Record<string, unknown>,
];

const SENDS: readonly Send[] = [
  ['send_email', (_id, to, subject) => ({ to: [to], subject, body: 'Once.' })],
  ['forward_email', (id, to) => ({ id, to: [to] })],
  ['send_reply', (id) => ({ id, body: 'Once.' })],
];

const FROM = 'From: Ada <ada@example.test>\r\n';
/** They arrive when they are written: without a date of arrival, a message stands where its Date field says. */
const ARRIVALS = [0, 5, 10].map((minutes) => new Date(Date.UTC(2026, 2, 3, 12, minutes)));
const dated = (receivedAt = new Date(0)) => `${FROM}Date: ${receivedAt.toUTCString()}\r\n`;
const ATTACHED =
  `Message-ID: <one@example.test>\r\nSubject: one\r\nMIME-Version: 1.0\r\n` +
  'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nneedle\r\n--b\r\n' +
  'Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment\r\n\r\nattached\r\n--b--\r\n';

interface ImapServer {
  readonly port: number;
  addUser(): string | Promise<string>;
  stop(): Promise<void>;
}

/** A kind of server, with the programs that it needs beside those of every suite. */
interface Kind {
  readonly name: string;
  readonly programs: readonly string[];
  start(): Promise<ImapServer>;
}

const KINDS: readonly Kind[] = casesOf(
  'changed answers',
  [
    { name: 'MOVE', programs: [], start: () => startDovecot({ tls: false }) },
    {
      name: 'UIDPLUS',
      programs: [],
      start: () => startDovecot({ tls: false, capability: 'IMAP4rev1 LITERAL+ NAMESPACE UIDPLUS' }),
    },
    { name: 'the capabilities of Cyrus', programs: CYRUS_PROGRAMS, start: () => startCyrus() },
  ],
  ({ name }) => name === 'MOVE',
);

/** How many tests share the reads, which together take longer than one may. */
const SHARES = sizeOf('changed answers', 6, 1);

for (const { name: server, programs, start } of KINDS) {
  const missing = missingServers(programs);
  describe.skipIf(missing.length > 0)(titled(`changed answers of a server with ${server}`, programs), () => {
    let imapServer: ImapServer;
    let dovecot: Dovecot;
    let postfix: Postfix;
    let imap: MutatingProxy;
    let smtp: MutatingProxy;
    let box: MailboxService;
    let own: ImapMailbox;
    let recipient: string;
    let theirs: ImapMailbox;
    let id: string;
    let folder: string;
    let made = 0;
    const right = new Map<string, string>();
    /** How many messages the right answer has. */
    const rows = new Map<string, number>();
    const sentBy = new Map<string, ReadonlySet<string>>();
    const table = new Map<string, readonly Verdict[]>();
    /** Whether a known fault was seen. */
    const known = new Map<string, boolean>();

    beforeAll(async () => {
      imapServer = await start();
      dovecot = await startDovecot({ tls: false });
      postfix = await startPostfix(dovecot, { tls: false });
      imap = await startMutatingProxy('imap', imapServer.port);
      smtp = await startMutatingProxy('smtp', postfix.port);
      const user = await imapServer.addUser();
      own = imapMailbox(imapServer.port, user);
      const other = dovecot.addUser();
      recipient = addressOf(other);
      theirs = imapMailbox(dovecot.port, other);
      for (const path of ['Sent', 'Archive', 'Trash', 'Two words']) await own.create(path);
      const answer = 'References: <one@example.test>\r\nSubject: Re: one\r\n\r\n';
      for (const [at, receivedAt] of ARRIVALS.entries()) {
        const raw = at === 0 ? ATTACHED : `${answer}needle ${at}\r\n`;
        await own.deliver(at === 2 ? 'Archive' : 'INBOX', `${dated(receivedAt)}${raw}`, { receivedAt });
      }
      // Where there is none, no copy is looked for.
      await own.deliver('Sent', `${dated(ARRIVALS[0])}Subject: earlier\r\n\r\nx\r\n`);
      box = await mailboxService({
        user,
        ports: { imap: imap.port, smtp: smtp.port },
        mode: 'direct',
        knows: [recipient],
      });
      id = (await box.ids()).at(-1) ?? '';
      const listed = JSON.stringify(await box.call('list_folders'));
      folder = /"([^"]*Two words)"/.exec(listed)?.[1] ?? '';
      for (const [tool, argue] of READS) {
        await box.reconnect();
        imap.mutate(undefined);
        const outcome = await box.call(tool, argue(id));
        right.set(tool, withoutNonce(outcome));
        rows.set(tool, rowsOf(outcome)[0]);
        sentBy.set(tool, imap.commands);
      }
    });
    afterAll(async () => {
      await box?.stop();
      await imap?.stop();
      await smtp?.stop();
      await postfix?.stop();
      await dovecot?.stop();
      await imapServer?.stop();
    });

    /** Reads what the tool answers under the mutation, and when the server is well again. */
    async function played(
      [tool, argue]: (typeof READS)[number],
      { mutation }: Case,
    ): Promise<Verdict | undefined> {
      await box.reconnect();
      imap.mutate(mutation);
      // The test's service checks results against the schema of the tool.
      const outcome = await box.call(tool, argue(id)).catch((error: Error) => error);
      const isTouched = imap.changed > 0;
      imap.mutate(undefined);
      const held = outcome instanceof Error ? (`FAULT: ${outcome.message}` as const) : judged(tool, outcome);
      if (!isTouched && held === 'right') return { tool, held: 'untouched' };
      if (held.startsWith('FAULT')) return { tool, held };
      return { tool, held: (await recovers(tool, argue(id))) ? held : `FAULT: ${held}, and stays wrong` };
    }

    /** Whether the tool answers right again. After a failure to connect, the server is left alone for a while. */
    async function recovers(tool: string, args: Record<string, unknown>): Promise<boolean> {
      const isRight = async () => withoutNonce(await box.call(tool, args)) === right.get(tool);
      return until(isRight, { intervalMs: 100 }).catch(() => false);
    }

    function judged(tool: string, outcome: Outcome): Verdict['held'] {
      if (outcome.status === 'error')
        return outcome.code === 'internal_error' ? 'FAULT: internal_error' : 'error';
      const answer = withoutNonce(outcome);
      if (answer === right.get(tool)) return 'right';
      if (answer.includes('"missing":[') || answer.includes('"undeliverable":true')) {
        const [shown, named] = rowsOf(outcome);
        return shown + named >= (rows.get(tool) ?? 0) ? 'missing' : `FAULT: names ${named}, shows ${shown}`;
      }
      if (tool === 'list_accounts' && answer.includes('"error":')) return 'error';
      return `FAULT: answers ${difference(right.get(tool) ?? '', answer)}`;
    }

    /** Delivers a message with the subject. @returns its id */
    async function delivered(subject: string, flags: readonly string[] = []): Promise<string> {
      await own.deliver('INBOX', `From: ${recipient}\r\nSubject: ${subject}\r\n\r\nx\r\n`, { flags });
      await box.reconnect();
      const [newest = ''] = await box.ids();
      await box.reconnect();
      return newest;
    }

    async function changed(write: Write, { mutation }: Case): Promise<Verdict | undefined> {
      const { tool, argue, flags = [], isDone } = write;
      const subject = `letter ${++made}.`;
      const target = await delivered(subject, flags);
      imap.mutate(mutation);
      const outcome = await box.call(tool, argue(target, folder));
      const isTouched = imap.changed > 0;
      imap.mutate(undefined);
      const stored = await own.stored(subject);
      await own.erase(subject);
      const name = `${tool} ${JSON.stringify(argue('', folder))}`;
      if (!isTouched) return undefined;
      const word = wordFor(outcome);
      const isBefore =
        stored.length === 1 &&
        stored[0]?.folder === 'INBOX' &&
        JSON.stringify(stored[0].flags) === JSON.stringify(flags);
      const where = `${word}, ${JSON.stringify(stored)} ${JSON.stringify(outcome).slice(0, 300)}`;
      const most = new Set(stored.map((one) => one.folder)).size;
      if (word === 'internal_error' || stored.length === 0 || most < stored.length)
        return { tool: name, held: `FAULT: ${where}` };
      if (word === 'unknown') return { tool: name, held: 'unknown' };
      if (word === 'done') return { tool: name, held: isDone(stored) ? 'right' : `FAULT: ${where}` };
      return { tool: name, held: isBefore ? 'error' : `FAULT: ${where}` };
    }

    async function sent(
      [tool, argue]: Send,
      proxy: MutatingProxy,
      { command, mutation }: Case,
    ): Promise<Verdict | undefined> {
      const subject = `sent ${++made}.`;
      const target = await delivered(subject);
      proxy.mutate(mutation);
      const outcome = await approved(await box.call(tool, argue(target, recipient, subject)));
      const word = wordFor(outcome);
      // The answer does not wait for the copy.
      if (COPYING.includes(command) && word === 'done') await until(() => proxy.passed > 0);
      const isTouched = proxy.changed > 0;
      proxy.mutate(undefined);
      if (isTouched) {
        await box.reconnect();
        for (let round = 0; round < 3; round += 1) await box.service.recover();
        await postfix.delivered();
      }
      const arrived = (await theirs.stored(subject)).length;
      const kept = (await own.stored(subject)).filter((one) => one.folder !== 'INBOX').length;
      await own.erase(subject);
      const where = `${word}, arrived ${arrived}, kept ${kept} ${JSON.stringify(outcome).slice(0, 300)}`;
      if (!isTouched) {
        expect(word, where).toBe('done');
        return undefined;
      }
      const fault = { tool, held: `FAULT: ${where}` } as const;
      if (word === 'internal_error' || arrived > 1 || kept > 1) return fault;
      if (word === 'unknown') return { tool, held: 'unknown' };
      if (word === 'done') return arrived === 1 ? { tool, held: 'right' } : fault;
      return arrived === 0 && kept === 0 ? { tool, held: 'error' } : fault;
    }

    /** After many sends, further ones wait for the owner. */
    async function approved(outcome: Outcome): Promise<Outcome> {
      if (outcome.status !== 'pending_approval') return outcome;
      const { id } = outcome.approval;
      const shown = await box.service.approvals.show(box.ownerId, id);
      await box.service.approvals.approve(box.ownerId, id, shown?.approval.digest ?? '');
      return box.call('get_approval', { approval_id: id });
    }

    /** Plays the cases. Only those of known faults may lead to a wrong answer. */
    async function judgeAll(
      part: string,
      cases: readonly Case[],
      play: (one: Case, index: number) => Promise<readonly (Verdict | undefined)[]>,
    ) {
      const faults: string[] = [];
      for (const [index, one] of cases.entries()) {
        const verdicts = (await play(one, index)).filter((verdict) => verdict !== undefined);
        table.set(`${server}, ${part}, ${one.name}`, verdicts);
        const wrong = verdicts.filter(({ held }) => held.startsWith('FAULT'));
        const reason = knownFault(one.name);
        if (reason === undefined)
          faults.push(...wrong.map(({ tool, held }) => `${one.name}: ${tool}: ${held}`));
        else if (verdicts.length > 0) known.set(reason, known.get(reason) === true || wrong.length > 0);
      }
      expect(faults).toEqual([]);
    }

    /** In the gate, one of the tools that send the command, in turn. */
    function readsOf({ command }: Case, index: number) {
      const all = READS.filter(([tool]) => command === 'greeting' || sentBy.get(tool)?.has(command) === true);
      return casesOf('changed answers', all, (_read, at) => at === index % all.length);
    }

    it.each(Array.from({ length: SHARES }, (_, share) => share))(
      'of IMAP, to reads, share %i',
      async (share) => {
        const commands = new Set([...sentBy.values()].flatMap((names) => [...names]));
        const all = chosen(['greeting', ...commands].flatMap(imapCases), 0, 2);
        const cases = all.filter((_one, index) => index % SHARES === share);
        await judgeAll('reads', cases, (one, index) =>
          inTurn(readsOf(one, index), (read) => played(read, one)),
        );
      },
    );

    it('of IMAP, to writes', async () => {
      const cases = chosen(WRITE_COMMANDS.flatMap(imapCases), 1, 2);
      await judgeAll('writes', cases, async (one, index) => [
        ...(await inTurn(writesOf(one, index), (write) => changed(write, one))),
        ...(await inTurn(sendsOf(one, index), (send) => sent(send, imap, one))),
      ]);
    });

    it('of SMTP', async () => {
      const cases = chosen(['greeting', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'BODY'].flatMap(smtpCases));
      await judgeAll('sends', cases, (one, index) =>
        inTurn(SENDS.slice(index % SENDS.length).slice(0, 1), (send) => sent(send, smtp, one)),
      );
    });

    onlyLong('changed answers', () => {
      it('prints what held', () => {
        const lines = [...table].map(([name, verdicts]) => `${name} -> ${summary(verdicts)}`);
        console.log(lines.join('\n'));
        expect(lines.length).toBeGreaterThan(0);
      });

      it('of each known fault lead to a wrong answer at least once', () => {
        expect([...known].filter(([, isThere]) => !isThere)).toEqual([]);
      });
    });
  });
}

const WRITE_COMMANDS = [
  'SELECT',
  'UID FETCH',
  'UID MOVE',
  'UID COPY',
  'UID STORE',
  'UID EXPUNGE',
  'APPEND',
  'STATUS',
  'UID SEARCH',
];

/** What the copy in Sent asks for, after the answer. */
const COPYING = ['APPEND', 'UID SEARCH'];

/** In the gate, one of the writes that send the command, in turn. */
function writesOf({ command }: Case, index: number): readonly Write[] {
  if (command === 'APPEND') return [];
  const all = ['UID MOVE', 'UID EXPUNGE', 'STATUS'].includes(command) ? MOVES : WRITES;
  return casesOf('changed answers', all, (_write, at) => at === index % all.length);
}

/** In the gate, one of the sends that send the command, in turn. */
function sendsOf({ command }: Case, index: number): readonly Send[] {
  const all =
    command === 'UID FETCH' ? SENDS.slice(1) : ['SELECT', ...COPYING].includes(command) ? SENDS : [];
  return casesOf('changed answers', all, (_send, at) => at === index % all.length);
}

/**
 * In the gate, one case of each kind that is no known fault, of another command each time. Reads and writes take turns.
 */
function chosen(cases: readonly Case[], turn = 0, turns = 1): readonly Case[] {
  const sound = cases.filter(({ name }) => knownFault(name) === undefined);
  const kinds = [...new Set(sound.map(({ kind }) => kind))].filter((_kind, at) => at % turns === turn);
  const picked = kinds.map((kind, index) => {
    const alike = sound.filter((one) => one.kind === kind);
    return alike[index % alike.length];
  });
  return casesOf('changed answers', cases, (one) => picked.includes(one));
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** How many messages an answer shows, and how many it names as missing: any number, for a folder that is refused. */
function rowsOf(outcome: Outcome): readonly [shown: number, named: number] {
  const { messages = [], missing = [] } = shownAndMissing.parse(outcome).result;
  const named = missing.reduce((sum, part) => sum + (part.messages ?? Number.POSITIVE_INFINITY), 0);
  return [messages.length, named];
}

const shownAndMissing = z.object({
  result: z.object({
    messages: z.array(z.unknown()).optional(),
    missing: z.array(z.object({ messages: z.number().optional() })).optional(),
  }),
});

/** `right 7, error 2` */
function summary(verdicts: readonly Verdict[]): string {
  const counts = new Map<string, number>();
  for (const { held } of verdicts) {
    const word = held.startsWith('FAULT') ? 'FAULT' : held;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${word} ${count}`).join(', ') || 'not sent';
}

/** Removes the nonce, and the ids: a message may have several, for each size and date that its server reports. */
function withoutNonce(outcome: Outcome): string {
  return JSON.stringify(outcome)
    .replace(/[0-9]{39}/g, 'NONCE')
    .replace(/\bm1_[\w-]+/g, 'ID');
}

function difference(right: string, other: string): string {
  let at = 0;
  while (at < right.length && right[at] === other[at]) at += 1;
  return `…${other.slice(Math.max(0, at - 40), at + 80)} instead of …${right.slice(Math.max(0, at - 40), at + 80)}`;
}

function isFailed({ result }: Extract<Outcome, { status: 'ok' | 'empty' }>): boolean {
  return JSON.stringify(result).includes('"state":"failed"');
}

/** What the answer to a write says. */
function wordFor(outcome: Outcome): 'done' | 'not done' | 'unknown' | 'internal_error' {
  if (outcome.status === 'error') {
    if (outcome.code === 'internal_error') return 'internal_error';
    return outcome.code === 'upstream_mail_error' && outcome.details?.reason === 'outcome_unknown'
      ? 'unknown'
      : 'not done';
  }
  if (outcome.status === 'pending_approval') return 'unknown';
  if (outcome.executed !== true) return isFailed(outcome) ? 'not done' : 'unknown';
  return /"(?:done|matches_request)":false/.test(JSON.stringify(outcome.result)) ? 'unknown' : 'done';
}

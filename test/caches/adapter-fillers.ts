import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { type ImapAccount, imapAccounts } from '../../adapters/imap/imap-accounts.ts';
import { missingParts } from '../../adapters/imap/missing-parts.ts';
import { inFolder, type OpenFolder } from '../../adapters/imap/session.ts';
import { indexFile } from '../../adapters/mail-index/index-file.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { smtpSender } from '../../adapters/smtp/sender.ts';
import { readMessage } from '../../core/accounts/read-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import { multistatus } from '../servers/caldav-answers.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { startScriptedCaldav } from '../servers/scripted-caldav.ts';
import { cutOut, type Filler, MB } from './filler.ts';

const REACH = { allowPrivateServers: true };
const limit = new AbortController().signal;
/** The numbers of `2:5`. */
function rangeOf(range: string): number[] {
  const [from = 1, to = from] = range.split(':').map(Number);
  return numbers(to - from + 1).map((index) => from + index);
}
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A text of that length, of words that are not the same twice. */
function words(seed: number, chars: number): string {
  return numbers(chars / 10)
    .map((n) => `w${seed}${n}`.padEnd(9, 'x'))
    .join(' ');
}

function account(ownerId: string, settings: unknown = {}): MailAccount {
  return { ownerId, accountId: 1, revision: 1, email: 'ada@example.org', settings: async () => settings };
}

function callFor(of: MailAccount): MailCall {
  return { account: of, signal: limit, deadlineMs: 60_000 };
}

/** The caches of the adapters that need no server of Debian's packages. */
export const ADAPTER_FILLERS: Readonly<Record<string, Filler>> = {
  'adapters/mail-index/index-file.ts indexFile.termsKept': {
    mostBytes: 8 * MB,
    rounds: 8,
    open() {
      const file = indexFile(':memory:', new Uint8Array(32).fill(1));
      return async (round) => {
        const owner = { ownerId: cutOut(`owner ${round % 4}`), accountId: 1 };
        for (const part of numbers(3)) {
          const body = numbers(20_000)
            .map((n) =>
              String.fromCodePoint(0x4e00 + ((n + 20_000 * part + 7 * round) % 20_000), 0x3400 + (n % 6000)),
            )
            .join('');
          const text = { sender: body.slice(0, 9000), head: '', body: body.slice(0, 9000), isWhole: true };
          const place = { path: 'INBOX', uidValidity: '1', uidNext: 1, state: null, remove: [] };
          file.save(owner, {
            ...place,
            add: [{ uid: round * 10 + part, receivedMs: 0, text, linkedIds: [] }],
          });
        }
      };
    },
  },
  'adapters/imap/imap-accounts.ts imapAccounts.dates': {
    mostBytes: 64 * MB,
    rounds: 9,
    open() {
      const accounts = imapAccounts(3, REACH);
      // As Dovecot answers, but of larger folders.
      const folder = (path: string) =>
        ({
          uidValidity: '1',
          mailbox: { path },
          client: {
            async *fetch(set: string) {
              for (const [index, uid] of rangeOf(set).entries()) {
                yield { uid, internalDate: new Date(1_700_000_000_000 + index) };
              }
            },
          },
        }) as unknown as OpenFolder;
      return async (round) => {
        for (const index of numbers(10)) {
          const { dates } = accounts.of(account(`${round} ${index}`));
          const uids = numbers(8000).map((uid) => uid + 2 ** 31);
          await dates.of(folder(cutOut('INBOX.folder of mail')), uids);
        }
      };
    },
  },
  'adapters/imap/imap-accounts.ts imapAccounts.rows': {
    mostBytes: 24 * MB,
    rounds: 10,
    open() {
      const accounts = imapAccounts(3, REACH);
      const header = (uid: number) => {
        const subject = uid % 5 === 0 ? '漢'.repeat(5000) : `letter ${uid}`;
        return Buffer.from(
          `From: Ada <ada@example.org>\r\nSubject: ${subject}\r\nMessage-ID: <${uid}@x.example>\r\n\r\n`,
        );
      };
      const folder = {
        uidValidity: '1',
        mailbox: { path: cutOut('INBOX.folder of mail') },
        client: {
          capabilities: new Map([['OBJECTID', true]]),
          async *fetch(set: string) {
            for (const uid of set.split(',').flatMap(rangeOf)) {
              const facts = { size: uid, internalDate: new Date(1_700_000_000_000), flags: new Set() };
              yield { uid, ...facts, emailId: cutOut(`${uid}`.padStart(255)), headers: header(uid) };
            }
          },
        },
      } as unknown as OpenFolder;
      return async (round) => {
        for (const index of numbers(5)) {
          const { rows } = accounts.of(account(`${round} ${index}`));
          for (const row of await rows.of(
            folder,
            numbers(200).map((uid) => uid + 1),
          ))
            messageRow(row);
        }
      };
    },
  },
  'adapters/imap/imap-accounts.ts imapAccounts.messages': {
    mostBytes: 8 * MB,
    rounds: 5,
    open() {
      const accounts = imapAccounts(3, REACH);
      const reader = inlineReader();
      // One letter beyond Latin-1 doubles the memory that a text takes.
      const sourceOf = (uid: number) =>
        Buffer.from(`From: Ada <ada@example.org>\r\nSubject: 漢\r\n\r\n漢 ${words(uid, (uid % 30) * 1000)}`);
      const folder = {
        uidValidity: '1',
        mailbox: { path: cutOut('INBOX.folder of mail') },
        client: {
          capabilities: new Map(),
          async *fetch(set: string) {
            for (const uid of set.split(',').flatMap(rangeOf)) {
              const source = sourceOf(uid);
              const facts = { size: source.length, internalDate: new Date(1_700_000_000_000) };
              yield { uid, ...facts, flags: new Set(), headers: source.subarray(0, 50), source };
            }
          },
        },
      } as unknown as OpenFolder;
      return async (round) => {
        const { messages } = accounts.of(account(`${round}`));
        const read = await messages.of(
          folder,
          numbers(60).map((uid) => uid + 1),
        );
        for (const { source } of read.values())
          await readMessage(
            { reader },
            { ownerId: 'ada', signal: limit },
            { source, window: { from: 0, most: 50_000 }, head: 'Ada' },
          );
      };
    },
  },
  'adapters/caldav/calendar.ts caldavCalendar.servers': {
    mostBytes: 16 * MB,
    rounds: 2,
    async open() {
      const server = await startScriptedCaldav(({ path }, response) => {
        if (path !== '/home/') return 'usual';
        const calendars = numbers(200).map(
          (index) =>
            `<d:response><d:href>/home/${index}${'c'.repeat(400)}/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/>` +
            `<c:calendar/></d:resourcetype><d:displayname>${'n'.repeat(200)}</d:displayname></d:prop>` +
            '<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>',
        );
        multistatus(response, calendars.join('') + ' '.repeat(MB));
        return 'answered';
      });
      const calendar = caldavCalendar({ ...REACH, reader: inlineReader() });
      onTestFinished(() => calendar.close());
      const settings = { caldav: { url: server.url, user: 'ada@example.org', pass: PASSWORD } };
      return async (round) => {
        for (const index of numbers(10))
          await calendar.calendars(callFor(account(`${round} ${index}`, settings)));
      };
    },
  },
  'adapters/smtp/sender.ts smtpSender.refused': {
    mostBytes: 4 * MB,
    rounds: 4,
    async open() {
      const text = 'r'.repeat(20_000);
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('220 x\r\n');
        socket.on('data', (line) => {
          const isHello = line.toString().startsWith('EHLO');
          socket.write(
            isHello ? '250-x\r\n250 AUTH PLAIN LOGIN\r\n' : `535-5.7.8 ${text}\r\n535 5.7.8 no\r\n`,
          );
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const settings = { host: '127.0.0.1', port, security: 'none', user: 'ada', pass: PASSWORD } as const;
      const sender = smtpSender(REACH);
      const envelope = { from: 'a@x.example', to: ['b@x.example'] };
      const message = { envelope, bytes: Buffer.from('x'), date: new Date(), messageId: '<1@x.example>' };
      return async (round) => {
        for (const index of numbers(150)) {
          const of = account(cutOut(`${round} ${index}`.padEnd(4000)));
          const sent = sender.transmit(
            of,
            async () => settings,
            message,
            async () => true,
            limit,
          );
          await sent.catch(() => undefined);
        }
      };
    },
  },
};

/** Many accounts on one mailbox of Dovecot. @returns  opens another of them, and closes its connections after the work */
function imapOn(prepare: (dovecot: Dovecot, user: string) => Promise<void>) {
  /** Of the test: it opens two caches. */
  let prepared: Promise<number> | undefined;
  const user = 'ada';
  async function startServer(): Promise<number> {
    const dovecot = await startDovecot({ folderIndex: false });
    onTestFinished(async () => {
      prepared = undefined;
      await dovecot.stop();
    });
    await prepare(dovecot, user);
    return dovecot.port;
  }
  return async () => {
    prepared ??= startServer();
    const port = await prepared;
    const server = { host: '127.0.0.1', port, security: 'none', user: addressOf(user), pass: PASSWORD };
    const accounts = imapAccounts(3, REACH);
    let count = 0;
    return async (work: (opened: ImapAccount) => Promise<unknown>): Promise<void> => {
      count += 1;
      const opened = accounts.of(account(String(count), { imap: server, smtp: server }));
      await work(opened);
      opened.close();
    };
  };
}

const conversations = imapOn(async (dovecot, user) => {
  const named = (index: number) => numbers(99).map((n) => `<${index}.${n}@x.example>`);
  for (const index of numbers(50)) {
    const references = named(index).join('\r\n ');
    const raw = `Message-ID: <${index}@x.example>\r\nReferences: ${references}\r\n\r\nx\r\n`;
    await dovecot.deliver(user, raw);
  }
  for (const _time of numbers(3)) await dovecot.doveadm('copy', user, ['INBOX', 'mailbox', 'INBOX']);
});

const manyFolders = imapOn(async (dovecot, user) => {
  const names = numbers(900).map((n) => `${n}${'f'.repeat(150)}`);
  await dovecot.doveadm('mailbox create', user, names);
});

/** The caches that only Dovecot fills. */
export const DOVECOT_FILLERS: Readonly<Record<string, Filler>> = {
  'adapters/imap/imap-accounts.ts imapAccounts.index': {
    mostBytes: 64 * MB,
    rounds: 3,
    async open() {
      const open = await conversations();
      return async () => {
        for (const _account of numbers(10)) {
          await open(async (opened) => {
            const { connections, index } = opened;
            const inbox = await inFolder(
              connections,
              { path: 'INBOX' },
              limit,
              async ({ uidValidity }) => uidValidity,
            );
            await index.rows({ path: 'INBOX', uidValidity: inbox, uid: 1 }, limit, missingParts());
          });
        }
      };
    },
  },
  'adapters/imap/imap-accounts.ts imapAccounts.folders': {
    mostBytes: 8 * MB,
    // Seven lists take 9 MB.
    rounds: 1,
    async open() {
      const open = await manyFolders();
      return async () => {
        for (const _account of numbers(7)) await open((opened) => opened.freshFolders(limit));
      };
    },
  },
};

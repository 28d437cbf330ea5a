import { ImapFlow, type SearchObject } from 'imapflow';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MessagePlace } from '../../../core/mail/listed-message.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { SearchQuery } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { contains } from '../../contracts/mail/read.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { conversation } from './conversation.ts';
import { settingsOf } from './mail-settings.ts';
import { manyLetters, seedFolder } from './maildir.ts';
import { alternate, medianMs } from './rounds.ts';
import type { Row } from './table.ts';

const FOLDERS = ['INBOX', 'Sent', 'Archive', 'Drafts', 'Junk', 'Trash', 'Projects', 'Receipts'];
const MESSAGES = 10_000;
const ROUNDS = 7;
const CALLS_A_ROUND = 5;
const PAGE = 20;
const THREAD = 50;
/** Three, as in the adapter: more connections do not make the server faster. */
const CONNECTIONS = 3;

/** A search and a conversation across many folders on Dovecot, against bare imapflow that knows where to look. */
export async function conversations(dovecot: Dovecot): Promise<Row[]> {
  const full = dovecot.addUser();
  const empty = dovecot.addUser();
  for (const path of FOLDERS) {
    const own = path === 'INBOX' ? conversation(full, THREAD) : [];
    seedFolder(dovecot, full, path, [...manyLetters(full, MESSAGES, path), ...own]);
    seedFolder(dovecot, empty, path, path === 'INBOX' ? conversation(empty, THREAD) : []);
  }
  return [
    ...(await onMailbox(dovecot, full, `${FOLDERS.length} folders of ${MESSAGES}`, true)),
    ...(await onMailbox(dovecot, empty, 'folders that are else empty', false)),
  ];
}

async function onMailbox(dovecot: Dovecot, user: string, where: string, searches: boolean): Promise<Row[]> {
  const email = addressOf(user);
  const bare = await Promise.all(Array.from({ length: CONNECTIONS }, () => bareClient(dovecot.port, email)));
  const mail = imapMail({ allowPrivateServers: true });
  const settings = settingsOf(email, dovecot.port);
  const call = (): MailCall => ({
    account: { ownerId: 'bench', accountId: 1, email, settings: async () => settings },
    signal: new AbortController().signal,
    deadlineMs: 60_000,
  });
  const rounds = (reference: () => Promise<unknown>, ours: () => Promise<unknown>) =>
    alternate(
      ROUNDS,
      () => medianMs(CALLS_A_ROUND, reference),
      () => medianMs(CALLS_A_ROUND, ours),
    );
  try {
    const rows: Row[] = [];
    for (const asked of searches ? SEARCHES : []) {
      rows.push({
        name: `${asked.name} over ${where}, against imapflow`,
        unit: 'ms',
        ...(await alternate(
          asked.rounds,
          () => medianMs(1, () => bareSearch(bare, asked.search)),
          () => medianMs(1, () => search(mail, call(), asked.query)),
        )),
        bound: { most: 1.3 },
      });
    }
    const [first] = bare;
    if (first === undefined) throw new Error('there is no connection');
    await first.mailboxOpen('INBOX');
    const uids = await first.search({ subject: 'Plan of' }, { uid: true });
    if (!Array.isArray(uids) || uids.length !== THREAD) throw new Error('the conversation is not there');
    const places = uids.map((uid): MessagePlace => {
      if (first.mailbox === false) throw new Error('the inbox is not selected');
      return { path: 'INBOX', uidValidity: String(first.mailbox.uidValidity), uid };
    });
    let time = 0;
    const began = performance.now();
    await thread(mail, call(), places, 0);
    rows.push({
      name: `first thread of ${THREAD} on ${where}`,
      unit: 'ms',
      ours: performance.now() - began,
    });
    rows.push({
      name: `thread of ${THREAD} on ${where}, against one FETCH of it`,
      unit: 'ms',
      ...(await rounds(
        () => bareThread(first, uids),
        () => thread(mail, call(), places, time++),
      )),
      bound: { most: 1.5 },
    });
    return rows;
  } finally {
    await mail.close();
    for (const client of bare) client.close();
  }
}

const WORD = '77';

/** The same query in both forms. Words are also searched in the text, which takes the server longer. */
const SEARCHES: readonly { name: string; rounds: number; search: SearchObject; query: Asked }[] = [
  {
    name: 'search for a word of the subject',
    rounds: 3,
    search: { or: [{ from: WORD }, { to: WORD }, { cc: WORD }, { subject: WORD }, { body: WORD }] },
    query: { words: [WORD], from: undefined },
  },
  {
    name: 'search for a sender',
    rounds: 7,
    search: { from: 'person77@' },
    query: { words: [], from: 'person77@' },
  },
];

/** Fetches what a page shows of the newest matches. */
async function bareSearch(clients: readonly ImapFlow[], query: SearchObject): Promise<void> {
  const left = FOLDERS.values();
  const found: { path: string; uid: number; receivedMs: number }[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (const path of left) {
        await client.mailboxOpen(path);
        const uids = await client.search(query, { uid: true });
        if (!Array.isArray(uids) || uids.length === 0) throw new Error('imapflow found nothing');
        const dates = await client.fetchAll(
          uids.slice(-PAGE - 1).join(),
          { uid: true, internalDate: true },
          { uid: true },
        );
        for (const { uid, internalDate } of dates) {
          found.push({ path, uid, receivedMs: new Date(internalDate ?? 0).getTime() });
        }
      }
    }),
  );
  const page = found.sort((a, b) => b.receivedMs - a.receivedMs).slice(0, PAGE);
  const [client] = clients;
  for (const path of new Set(page.map((one) => one.path))) {
    await client?.mailboxOpen(path);
    const uids = page.filter((one) => one.path === path).map(({ uid }) => uid);
    await client?.fetchAll(uids.join(), ROW, { uid: true });
  }
}

const ROW = { uid: true, envelope: true, flags: true, internalDate: true, size: true };

type Asked = Pick<SearchQuery, 'words' | 'from'>;

async function search(mail: Mail, call: MailCall, asked: Asked): Promise<void> {
  const query = {
    ...asked,
    since: undefined,
    unread: false,
    path: undefined,
    after: undefined,
    limit: PAGE,
    contains,
  };
  const { rows } = await mail.search(call, query);
  if (rows.length !== PAGE) throw new Error(`${rows.length} messages were found`);
}

async function bareThread(client: ImapFlow, uids: readonly number[]): Promise<void> {
  const fetched = await client.fetchAll(uids.join(), ROW, { uid: true });
  if (fetched.length !== THREAD) throw new Error('imapflow did not fetch the conversation');
}

/** Starts at a different message each time. */
async function thread(
  mail: Mail,
  call: MailCall,
  places: readonly MessagePlace[],
  time: number,
): Promise<void> {
  const place = places[time % places.length];
  if (place === undefined) throw new Error('the conversation is empty');
  const found = await mail.thread(call, place);
  const rows = 'missing' in found ? found.rows : found;
  if (rows.length !== THREAD) throw new Error(`the conversation has ${rows.length} messages`);
}

async function bareClient(port: number, user: string): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    doSTARTTLS: false,
    auth: { user, pass: PASSWORD },
    logger: false,
    disableAutoIdle: true,
  });
  await client.connect();
  return client;
}

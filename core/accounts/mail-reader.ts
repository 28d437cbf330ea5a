import type { ListedMessage, MessagePlace } from '../mail/listed-message.ts';
import { type MessageRow, messageRow } from '../mail/message-row.ts';
import { withoutNamesakes } from '../mail/namesakes.ts';
import { type SentCopy, sentCopyOf } from '../mail/sent-copy.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailCall } from '../ports/mail.ts';
import {
  type Conversation,
  folderKey,
  type ListQuery,
  type MailReading,
  type MessagePage,
  type RawMessage,
  type SearchQuery,
  THREAD_MAX,
} from '../ports/mail-reading.ts';

/** A mailbox as core reads it: the results of the port with their headers read. It cannot change anything. */
export interface MailReader extends Pick<MailReading, 'folders' | 'counts' | 'attachment'> {
  list(call: MailCall, query: ListQuery): Promise<MessagePage<MessageRow>>;
  row(call: MailCall, place: MessagePlace): Promise<MessageRow | undefined>;
  messageWithId(call: MailCall, path: string, messageId: string): Promise<MessageRow | undefined>;
  read(call: MailCall, place: MessagePlace): Promise<RawMessage<MessageRow>>;
  readAll: ReadEach;
  /** As `readTexts` of the port. */
  readOnlyTexts: ReadEach;
  find(call: MailCall, message: Parameters<MailReading['find']>[1]): Promise<readonly MessageRow[]>;
  search(call: MailCall, query: SearchQuery): Promise<MessagePage<MessageRow>>;
  /** Oldest first, each message once; at most the newest THREAD_MAX. */
  thread(call: MailCall, place: MessagePlace): Promise<Conversation<MessageRow>>;
  sentCopies(call: MailCall, path: string, addresses: readonly string[]): Promise<readonly SentCopy[]>;
}

type ReadEach = (
  call: MailCall,
  places: readonly MessagePlace[],
) => Promise<readonly (RawMessage<MessageRow> | undefined)[]>;

/** @param clock for pauses: someone may send many messages whose headers take long to read */
export function mailReader(mail: MailReading, clock: Pick<Clock, 'now' | 'after'>): MailReader {
  const rowsOf = (listed: readonly ListedMessage[]) => readRows(listed, clock);

  async function pageOf(page: MessagePage): Promise<MessagePage<MessageRow>> {
    return { ...page, rows: await rowsOf(page.rows) };
  }

  return {
    folders: (call, options) => mail.folders(call, options),
    counts: (call) => mail.counts(call),
    attachment: (call, place, index, maxBytes) => mail.attachment(call, place, index, maxBytes),
    list: async (call, query) => pageOf(await mail.list(call, query)),
    async row(call, place) {
      const listed = await mail.row(call, place);
      return listed && messageRow(listed);
    },
    async messageWithId(call, path, messageId) {
      const listed = await mail.messageWithId(call, path, messageId);
      return listed && messageRow(listed);
    },
    read: async (call, place) => withRow(await mail.read(call, place)),
    readAll: async (call, places) => withRows(await mail.readAll(call, places)),
    readOnlyTexts: async (call, places) => withRows(await mail.readTexts(call, places)),
    find: async (call, message) => rowsOf(await mail.find(call, message)),
    search: async (call, query) => pageOf(await mail.search(call, query)),
    async thread(call, place) {
      const found = await mail.thread(call, place);
      const { rows, missing } = 'missing' in found ? found : { rows: found, missing: [] };
      return { rows: conversation(withoutNamesakes(await rowsOf(rows), place)), missing };
    },
    sentCopies: async (call, path, addresses) =>
      (await mail.sentCopies(call, path, addresses)).map(sentCopyOf),
  };
}

/** How long rows are read before other work gets its turn. */
const TURN_MS = 10;

/** Reads the headers of listed messages. Other work gets its turn in between. */
export async function readRows(
  listed: readonly ListedMessage[],
  clock: Pick<Clock, 'now' | 'after'>,
): Promise<MessageRow[]> {
  const rows: MessageRow[] = [];
  let turn = clock.now().getTime();
  for (const one of listed) {
    rows.push(messageRow(one));
    if (clock.now().getTime() - turn < TURN_MS) continue;
    await new Promise<void>((resolve) => clock.after(0, resolve));
    turn = clock.now().getTime();
  }
  return rows;
}

function withRow({ row, source }: RawMessage): RawMessage<MessageRow> {
  return { row: messageRow(row), source };
}

function withRows(messages: readonly (RawMessage | undefined)[]) {
  return messages.map((message) => message && withRow(message));
}

/** A message that is in several folders is one message. Two with one Message-ID and different contents are two. */
function conversation(rows: readonly MessageRow[]): MessageRow[] {
  const once = new Map<string, MessageRow>();
  for (const row of rows.toSorted(oldestFirst)) {
    const identity = row.stableId ?? row.fingerprint;
    if (!once.has(identity)) once.set(identity, row);
  }
  return [...once.values()].slice(-THREAD_MAX);
}

function oldestFirst(a: MessageRow, b: MessageRow): number {
  const byDate = a.internalDate.getTime() - b.internalDate.getTime();
  if (byDate !== 0) return byDate;
  if (a.place.path === b.place.path) return a.place.uid - b.place.uid;
  return folderKey(a.place.path) < folderKey(b.place.path) ? -1 : 1;
}

import { createHmac, randomBytes } from 'node:crypto';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import { MailError, type MessagePlace, type MessageRow, THREAD_MAX } from '../../core/ports/mail.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { type MarkedFolder, readMarks } from './folders.ts';
import { LINK_HEADERS, linkedIds } from './linked-rows.ts';
import { type MessageLinks, messageLinks } from './message-links.ts';
import { fetchRowsOf } from './rows.ts';
import { type OpenFolder, onConnection } from './session.ts';

/**
 * Who answers whom in the mailbox of an account. To search a mailbox for every answer takes a server seconds; to read
 * those few headers of each message once, no longer; from then on only those of new messages are read.
 */
export interface ConversationIndex {
  /**
   * The rows of the conversation that the message belongs to, of each folder at most THREAD_MAX; undefined where the
   * mailbox is too large to be kept, or the server does not say what is new in it.
   * @throws MailError `not_found` where the place holds no message
   */
  rows(place: MessagePlace, limit: AbortSignal): Promise<MessageRow[] | undefined>;
}

interface KnownFolder {
  readonly uidValidity: string;
  /** Every message below it is in `links`, also those that have been removed since. */
  uidNext: number;
  readonly links: MessageLinks;
}

/** About 20 MB, where messages name seven others on average. A larger mailbox is searched. */
const MOST_MESSAGES = 120_000;
const MOST_LINKS = 1_000_000;
/** What nobody asks for again is not kept for longer. */
const KEPT_MS = 15 * 60_000;
/** A message that names more is one that somebody made to be endless. */
const MOST_IDS = 500;

export function conversationIndex(connections: AccountConnections): ConversationIndex {
  const known = new Map<string, KnownFolder>();
  /** Numbers stand for ids: nobody who does not know it can make two ids that have the same. */
  const key = randomBytes(16);
  let forgetting: NodeJS.Timeout | undefined;

  function numbersOf(ids: readonly string[]): number[] {
    const numbers = ids
      .slice(0, MOST_IDS)
      .map((id) => createHmac('sha1', key).update(id).digest().readUIntBE(0, 6));
    return [...new Set(numbers)];
  }

  function keepForAWhile(): void {
    clearTimeout(forgetting);
    forgetting = setTimeout(() => known.clear(), KEPT_MS);
    forgetting.unref();
  }

  function isTooLarge(marks: readonly MarkedFolder[]): boolean {
    let messages = 0;
    let links = 0;
    for (const { path, total } of marks) {
      messages += total;
      links += known.get(path)?.links.size ?? 0;
    }
    return messages > MOST_MESSAGES || links > MOST_LINKS;
  }

  function knownFolder({ path, uidValidity }: MarkedFolder): KnownFolder {
    const folder = known.get(path);
    if (folder !== undefined && folder.uidValidity === uidValidity) return folder;
    const begun = { uidValidity, uidNext: 1, links: messageLinks() };
    known.set(path, begun);
    return begun;
  }

  /** Reads what is new since the last time. */
  async function update(marks: readonly MarkedFolder[], limit: AbortSignal): Promise<void> {
    const grown = marks.filter((mark) => mark.total > 0 && mark.uidNext > knownFolder(mark).uidNext);
    await inEachFolder(connections, grown, limit, async (open, mark) => {
      const folder = knownFolder(mark);
      const from = folder.uidNext;
      expectSame(open, mark);
      const added = await readLinks(open.client, `${from}:${mark.uidNext - 1}`, numbersOf);
      // Another call may have read the same meanwhile.
      if (folder.uidNext !== from) return;
      for (const [uid, ids] of added) folder.links.add(uid, ids);
      folder.uidNext = mark.uidNext;
    });
  }

  /** UIDs of the conversation by folder. */
  function conversation(ids: readonly number[], marks: readonly MarkedFolder[]): Map<string, Set<number>> {
    const found = new Map(marks.map(({ path }) => [path, new Set<number>()]));
    const named = new Set(ids);
    // What is added while the set is gone through is gone through as well.
    for (const id of named) {
      for (const mark of marks) {
        const { links } = knownFolder(mark);
        const uids = found.get(mark.path);
        for (const uid of links.naming(id)) {
          if (uids?.has(uid) !== false) continue;
          uids.add(uid);
          for (const other of links.idsOf(uid) ?? []) named.add(other);
        }
      }
    }
    return found;
  }

  return {
    async rows(place, limit) {
      const marks = await onConnection(connections, limit, readMarks);
      if (marks === undefined || isTooLarge(marks)) {
        known.clear();
        return undefined;
      }
      keepForAWhile();
      const begun = marks.find(({ path }) => path === place.path);
      if (begun === undefined || begun.uidValidity !== place.uidValidity) throw noMessage();
      await update(marks, limit);
      const ids = knownFolder(begun).links.idsOf(place.uid);
      if (ids === undefined) throw noMessage();
      const found = conversation(ids, marks);
      // It may name nobody and have no name.
      found.get(place.path)?.add(place.uid);
      const folders = marks.flatMap((mark) => {
        const uids = [...(found.get(mark.path) ?? [])].sort((a, b) => b - a);
        return uids.length === 0
          ? []
          : [{ ...mark, uids: newest(uids, mark.path === place.path ? place.uid : undefined) }];
      });
      const rows = await inEachFolder(connections, folders, limit, (open, folder) => {
        expectSame(open, folder);
        return fetchRowsOf(open, folder.uids);
      });
      const all = rows.flatMap((some) => some ?? []);
      if (!all.some((row) => row.place.path === place.path && row.place.uid === place.uid)) throw noMessage();
      return all;
    },
  };
}

/** The highest, and one that is to be among them. */
function newest(uids: readonly number[], one: number | undefined): number[] {
  const kept = uids.slice(0, THREAD_MAX);
  return one === undefined || kept.includes(one) ? kept : [...kept, one];
}

function expectSame(open: OpenFolder, { uidValidity }: MarkedFolder): void {
  if (open.uidValidity === uidValidity) return;
  throw new MailError('unavailable', 'a folder was made anew while it was read');
}

function noMessage(): MailError {
  return new MailError('not_found', 'there is no such message');
}

async function readLinks(
  client: ImapFlow,
  range: string,
  numbersOf: (ids: readonly string[]) => number[],
): Promise<Map<number, number[]>> {
  const read: [number, number[]][] = [];
  const query = { uid: true, headers: LINK_HEADERS };
  for await (const message of client.fetch(range, query, { uid: true })) {
    if (isRead(message)) read.push([message.uid, numbersOf(linkedIds(message.headers))]);
  }
  // Servers answer in this order, though nothing makes them.
  return new Map(read.sort(([a], [b]) => a - b));
}

/** Servers also tell of flags that somebody else changed, in the same form but with less in it. */
function isRead(message: FetchMessageObject): message is FetchMessageObject & { headers: Buffer } {
  return message.headers !== undefined;
}

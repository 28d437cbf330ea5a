import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ImapFlow } from 'imapflow';
import type { KeptOfAccount } from '../../core/accounts/account-cache.ts';
import { LINK_FIELDS, linkedIds } from '../../core/mail/linked-ids.ts';
import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import { ownCopy } from '../../core/memory/own-copy.ts';
import { MailError } from '../../core/ports/mail.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { deliveryRefusal } from './failure.ts';
import { fetchEach } from './fetch-each.ts';
import { type Fetched, fetched } from './fetched.ts';
import { type MarkedFolder, markOf, readMarks } from './folder-marks.ts';
import type { KnownRows } from './known-rows.ts';
import { type MessageLinks, messageLinks } from './message-links.ts';
import type { MissingParts } from './missing-parts.ts';
import { type OpenFolder, reportedUidNext } from './session.ts';
import { searchUids } from './uid-search.ts';

/**
 * Which message answers which in the mailbox of an account. A server takes seconds to search a mailbox for
 * every answer. Reading those few headers of each message once takes no longer, and later only those of new
 * messages are read.
 */
export interface ConversationIndex {
  /**
   * Returns the rows of the message's conversation, at most THREAD_MAX per folder. Undefined if the server
   * has its own conversations, or does not report what is new in a folder, or if the mailbox is too large.
   * @param missing  collects the folders that cannot be read
   * @throws MailError `not_found` if there is no message at the place
   */
  rows(place: MessagePlace, limit: AbortSignal, missing: MissingParts): Promise<ListedMessage[] | undefined>;
}

/** What is known of a mailbox, by the path of the folder. */
export type KnownFolders = Map<string, KnownFolder>;

interface KnownFolder {
  readonly uidValidity: string;
  /** Every message below this UID is in `links`, including those removed since. */
  uidNext: number;
  readonly links: MessageLinks;
  /** UIDs of messages whose header the server did not deliver, so that `links` has none of theirs. */
  unread: readonly number[];
  /** When they were last asked for. */
  askedMs: number;
}

/** About 20 MB if each message names seven others on average. A larger mailbox is searched instead. */
const MOST_FOLDERS = 5000;
const MOST_MESSAGES = 120_000;
const MOST_LINKS = 1_000_000;
/** Of a folder, besides its path, its links and what is unread. */
const FOLDER_BYTES = 2000;
const UNREAD_MOST = 1000;
const UNREAD_BYTES = 8;
/** How long the server is not asked again for what it did not deliver. */
const ASK_AGAIN_MS = 10_000;

/** Ids are stored as keyed hashes: without the key, nobody can construct two ids with the same hash. */
const key = randomBytes(16);

export function bytesOfFolders(folders: KnownFolders): number {
  let bytes = 0;
  for (const [path, { links, unread }] of folders) {
    bytes += FOLDER_BYTES + 2 * path.length + links.bytes + UNREAD_BYTES * unread.length;
  }
  return bytes;
}

/**
 * @param kept  has one value, without a name
 * @param shown  the rows that lists show, too
 */
export function conversationIndex(
  connections: AccountConnections,
  kept: KeptOfAccount<KnownFolders>,
  shown: KnownRows,
): ConversationIndex {
  /** Reads what is new since the last time. */
  async function update(
    known: KnownFolders,
    marks: readonly MarkedFolder[],
    limit: AbortSignal,
    missing: MissingParts,
  ): Promise<void> {
    forgetOthers(known, marks);
    const changed = marks.filter((mark) => {
      const folder = knownFolder(known, mark);
      const { uidNext } = folder;
      return isDue(folder) || mark.uidNext < uidNext || (mark.total > 0 && mark.uidNext > uidNext);
    });
    const readNew = async (open: OpenFolder, listed: MarkedFolder) => {
      // Of two views of a recreated folder, the one that was just selected counts.
      const mark = open.uidValidity === listed.uidValidity ? listed : markOf(listed.path, open);
      if (mark === undefined) throw recreated();
      let folder = knownFolder(known, mark);
      if (mark.uidNext < folder.uidNext) {
        // Another call has seen later mail, or the folder was restored from a backup and gives UIDs once more.
        if ((reportedUidNext(open) ?? folder.uidNext) >= folder.uidNext) return;
        folder = unreadFolder(mark);
      }
      if (isDue(folder)) {
        folder.askedMs = performance.now();
        const { linked, unread } = await readLinks(
          open.client,
          folder.unread.join(','),
          folder.unread.length,
        );
        folder.unread = unread;
        // Links can only be added at the end.
        if (linked.size > unread.length) folder = unreadFolder(mark);
      }
      while (folder.uidNext < mark.uidNext) {
        const from = folder.uidNext;
        const { linked, unread } = await readLinks(
          open.client,
          `${from}:${mark.uidNext - 1}`,
          Math.min(mark.total, mark.uidNext - from),
        );
        // Another call may have read some or all of it meanwhile.
        if (folder.uidNext !== from) continue;
        for (const [uid, ids] of linked) folder.links.add(uid, ids);
        folder.uidNext = mark.uidNext;
        folder.unread = [...folder.unread, ...unread].slice(0, UNREAD_MOST);
        folder.askedMs = performance.now();
      }
      // One that was begun anew takes the place of the other when it is whole: other calls look there meanwhile.
      if (known.get(mark.path) !== folder) known.set(ownCopy(mark.path), folder);
    };
    await inEachFolder(connections, changed, limit, readNew, missing);
  }

  async function read(
    folders: readonly FolderPlaces[],
    limit: AbortSignal,
    missing: MissingParts,
  ): Promise<ListedMessage[]> {
    const rows = await inEachFolder(
      connections,
      folders,
      limit,
      async (open, { uidValidity, uids }) => (open.uidValidity === uidValidity ? shown.of(open, uids) : []),
      missing,
    );
    return rows.flatMap((some) => some ?? []);
  }

  return {
    async rows(place, limit, missing) {
      // What is known is read while the server reports what is new.
      const asked = readMarks(connections, limit, missing);
      const known = kept.get('') ?? new Map<string, KnownFolder>();
      // Another call at the same time reads into the same one.
      kept.set('', known);
      const early = conversation(known, place) ?? [];
      const [marks, rows] = await Promise.all([asked, read(early, limit, missing)]);
      // A folder that shows messages of the others once more has no mark.
      if (!marks?.some(({ path }) => path === place.path)) return undefined;
      try {
        if (!isTooLarge(known, marks)) await update(known, marks, limit, missing);
        if (isTooLarge(known, marks)) {
          known.clear();
          return undefined;
        }
      } finally {
        kept.set('', known);
      }
      const whole = conversation(known, place);
      if (whole === undefined) {
        // Meanwhile another call has found the mailbox too large and dropped the index.
        if (known.size < marks.length) return undefined;
        throw noMessage();
      }
      // Unless a folder was restored from a backup meanwhile, the whole conversation includes the early part.
      const still = rows.filter(({ place: { path, uid } }) =>
        whole.some((folder) => folder.path === path && folder.uids.includes(uid)),
      );
      for (const [path, { unread }] of known) {
        if (unread.length === 0) continue;
        const shown = new Set(whole.find((folder) => folder.path === path)?.uids);
        const count = unread.filter((uid) => !shown.has(uid)).length;
        if (count > 0) missing.undelivered(path, count);
      }
      const all = [...still, ...(await read(without(whole, early), limit, missing))];
      if (!all.some((row) => isDeepStrictEqual(row.place, place))) throw noMessage();
      return all;
    },
  };
}

function isTooLarge(known: KnownFolders, marks: readonly MarkedFolder[]): boolean {
  let messages = 0;
  let links = 0;
  for (const { path, total } of marks) {
    messages += total;
    links += known.get(path)?.links.size ?? 0;
  }
  return marks.length > MOST_FOLDERS || messages > MOST_MESSAGES || links > MOST_LINKS;
}

function knownFolder(known: KnownFolders, mark: MarkedFolder): KnownFolder {
  const { path, uidValidity } = mark;
  const folder = known.get(path);
  if (folder?.uidValidity === uidValidity) return folder;
  const begun = unreadFolder(mark);
  known.set(ownCopy(path), begun);
  return begun;
}

/** Whether the server is asked again for what it did not deliver. */
function isDue({ unread, askedMs }: KnownFolder): boolean {
  return unread.length > 0 && performance.now() - askedMs > ASK_AGAIN_MS;
}

function unreadFolder({ uidValidity }: MarkedFolder): KnownFolder {
  return { uidValidity, uidNext: 1, links: messageLinks(), unread: [], askedMs: 0 };
}

function forgetOthers(known: KnownFolders, marks: readonly MarkedFolder[]): void {
  const paths = new Set(marks.map(({ path }) => path));
  for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
  for (const mark of marks) knownFolder(known, mark);
}

/** Returns the known places of the conversation. Undefined if the message is unknown. */
function conversation(
  known: KnownFolders,
  { path, uidValidity, uid }: MessagePlace,
): FolderPlaces[] | undefined {
  const folder = known.get(path);
  const ids = folder?.uidValidity === uidValidity ? folder.links.idsOf(uid) : undefined;
  if (ids === undefined) return undefined;
  // It may have no Message-ID and name no other message.
  const found = new Map([[path, new Set([uid])]]);
  const named = new Set(ids);
  // The loop also visits ids that are added to the set meanwhile.
  for (const id of named) {
    for (const [inPath, { links }] of known) {
      for (const naming of links.naming(id)) {
        const uids = found.get(inPath) ?? new Set();
        if (uids.has(naming)) continue;
        found.set(inPath, uids.add(naming));
        for (const other of links.idsOf(naming) ?? []) named.add(other);
      }
    }
  }
  return [...found].map(([inPath, uids]) => ({
    path: inPath,
    uidValidity: known.get(inPath)?.uidValidity ?? '',
    uids: newest(uids, inPath === path ? uid : undefined),
  }));
}

/** Some UIDs of a folder. */
interface FolderPlaces {
  readonly path: string;
  readonly uidValidity: string;
  readonly uids: readonly number[];
}

/** Returns the highest UIDs, always including `one`. */
function newest(uids: ReadonlySet<number>, one: number | undefined): number[] {
  const kept = [...uids].sort((a, b) => b - a).slice(0, THREAD_MAX);
  return one === undefined || kept.includes(one) ? kept : [...kept, one];
}

/** Returns the places that were not read before. */
function without(folders: readonly FolderPlaces[], read: readonly FolderPlaces[]): FolderPlaces[] {
  return folders.flatMap((folder) => {
    const same = read.find(
      ({ path, uidValidity }) => path === folder.path && uidValidity === folder.uidValidity,
    );
    const before = new Set(same?.uids);
    const uids = folder.uids.filter((uid) => !before.has(uid));
    return uids.length === 0 ? [] : [{ ...folder, uids }];
  });
}

function recreated(): MailError {
  return new MailError('unavailable', 'a folder was recreated while it was read');
}

function noMessage(): MailError {
  return new MailError('not_found', 'there is no such message');
}

/**
 * @param most  messages that the range can have
 * @returns `linked`: the ids that each message names, in ascending order of UIDs; `unread`: those of them whose header the
 *   server did not deliver
 */
async function readLinks(
  client: ImapFlow,
  range: string,
  most: number,
): Promise<{ linked: ReadonlyMap<number, number[]>; unread: readonly number[] }> {
  const read: [number, number[]][] = [];
  const unread = new Set<number>();
  let links = 0;
  const query = { uid: true, headers: [...LINK_FIELDS] };
  const add = ({ uid, headers }: Fetched) => {
    // Too many: the caller forgets them all.
    if (links > MOST_LINKS) return;
    const isRead = headers !== undefined && headers.length > 0;
    if (!isRead) unread.add(uid);
    const ids = isRead ? numbersOf(linkedIds(headers)) : [];
    links += ids.length;
    read.push([uid, ids]);
  };
  try {
    for await (const message of fetched(client, range, query)) if (!isUpdate(message)) add(message);
  } catch (error) {
    if (deliveryRefusal(error) === undefined) throw error;
  }
  // What was refused, or left out without a word.
  if (read.length < most) {
    const known = new Set(read.map(([uid]) => uid));
    const others = (await searchUids(client, { uid: range })).filter((uid) => !known.has(uid));
    const each = await fetchEach(client, others, query);
    for (const message of each.messages) add(message);
    for (const { uid } of each.undeliverable) add({ uid });
  }
  // Servers answer in this order, but nothing requires it.
  return { linked: new Map(read.sort(([a], [b]) => a - b)), unread: [...unread] };
}

function numbersOf(ids: readonly string[]): number[] {
  const numbers = ids.map((id) => createHmac('sha1', key).update(id).digest().readUIntBE(0, 6));
  return [...new Set(numbers)];
}

/** Servers also report flags that another program changed, in the same form but with fewer fields. */
function isUpdate({ uid, headers, flags }: Fetched): boolean {
  return !(uid > 0) || (headers === undefined && flags !== undefined);
}

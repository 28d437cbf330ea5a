import type { FetchMessageObject, FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import {
  type ListedMessage,
  type MailFlag,
  type MessagePlace,
  ROW_FIELDS,
} from '../../core/mail/listed-message.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { OpenFolder } from './session.ts';

/**
 * What a row is made of. Headers instead of ENVELOPE, which takes imapflow longer to read, loses the offset of Date,
 * and on some servers the bytes beyond ASCII.
 */
export const ROW_QUERY: FetchQueryObject = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  headers: [...ROW_FIELDS],
};

export const FLAG_NAMES: Readonly<Record<MailFlag, string>> = {
  seen: '\\Seen',
  flagged: '\\Flagged',
  answered: '\\Answered',
  forwarded: '$Forwarded',
};

export function flagsOf(names: ReadonlySet<string>): ReadonlySet<MailFlag> {
  // Flags are compared without regard to case, RFC 9051 2.3.2.
  const lower = new Set([...names].map((name) => name.toLowerCase()));
  const flags: MailFlag[] = ['seen', 'flagged', 'answered', 'forwarded'];
  return new Set(flags.filter((flag) => lower.has(FLAG_NAMES[flag].toLowerCase())));
}

/** Rows of a range of sequence numbers or UIDs, the highest UID first. Messages that are gone are left out. */
export async function fetchRows(
  folder: OpenFolder,
  range: string,
  by: { uid: boolean },
): Promise<ListedMessage[]> {
  const messages = await folder.client.fetchAll(range, ROW_QUERY, by);
  const rows = new Map<number, ListedMessage>();
  for (const message of messages.filter(isWhole)) {
    rows.set(message.uid, rowOf(folder, message));
  }
  return [...rows.values()].sort((a, b) => b.place.uid - a.place.uid);
}

/** @returns undefined if the message is gone, or the folder was replaced */
export async function rowAt(folder: OpenFolder, place: MessagePlace): Promise<ListedMessage | undefined> {
  if (folder.uidValidity !== place.uidValidity) return undefined;
  const rows = await fetchRows(folder, String(place.uid), { uid: true });
  return rows.find((row) => row.place.uid === place.uid);
}

/** Rows of these UIDs, the highest first. */
export async function fetchRowsOf(folder: OpenFolder, uids: readonly number[]): Promise<ListedMessage[]> {
  const rows: ListedMessage[] = [];
  for (const set of uidSets(uids)) rows.push(...(await fetchRows(folder, set, { uid: true })));
  return rows.sort((a, b) => b.place.uid - a.place.uid);
}

/** @throws MailError `not_found` where the folder does not hold `place`'s message */
export async function fetchMessage(
  folder: OpenFolder,
  place: MessagePlace,
  query: FetchQueryObject,
): Promise<FetchMessageObject> {
  if (place.uidValidity !== folder.uidValidity) throw new MailError('not_found', 'the folder was made anew');
  const message = await folder.client.fetchOne(String(place.uid), query, { uid: true });
  if (message === false || !isWhole(message)) throw new MailError('not_found', 'there is no such message');
  return message;
}

/** Servers also tell of flags that somebody else changed, in the same form but with less in it. */
export function isWhole(message: FetchMessageObject): boolean {
  return message.uid > 0 && message.size !== undefined && message.internalDate !== undefined;
}

/** RFC 8474, 7. A longer one would make a message id that nobody could be asked for by. */
const OBJECT_ID_CHARS = 255;

export function rowOf(
  { mailbox, uidValidity, client }: OpenFolder,
  message: FetchMessageObject,
): ListedMessage {
  const { uid, size = 0, flags = new Set(), emailId = '', headers = Buffer.alloc(0) } = message;
  const hasStableIds = client.capabilities.has('OBJECTID') || client.capabilities.has('X-GM-EXT-1');
  return {
    place: { path: mailbox.path, uidValidity, uid },
    stableId: hasStableIds && emailId !== '' && emailId.length <= OBJECT_ID_CHARS ? emailId : null,
    header: headers,
    internalDate: instant(message.internalDate),
    sizeBytes: size,
    flags: flagsOf(flags),
  };
}

/** A server that gives no readable INTERNALDATE breaks its protocol; its message is still shown. */
export function instant(internalDate: Date | string | undefined): Date {
  const date = new Date(internalDate ?? 0);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

/**
 * UIDs in ascending order.
 * @throws MailError `refused`: imapflow answers `false` where the server refused the search
 */
export async function searchUids(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new MailError('refused', 'the IMAP server refused a search');
  return found;
}

/** How many match, without an EXPUNGE in between: the count is a valid sequence number. */
export async function countMatches(client: ImapFlow, query: SearchObject): Promise<number> {
  // Not UID SEARCH: only during a plain SEARCH a server may not renumber its messages (RFC 9051, 7.5.1).
  const found = await client.search(query, { uid: false, returnOptions: ['COUNT'] });
  if (typeof found !== 'object' || Array.isArray(found) || found.count === undefined) {
    throw new MailError('refused', 'the IMAP server refused a search');
  }
  return found.count;
}

/** How many ranges one command names: the line stays below the 8000 bytes that every server takes. */
const RANGES_A_COMMAND = 300;

/** Sets of UIDs, such as `3:7,9`, that together name all of `uids`. */
export function uidSets(uids: readonly number[]): string[] {
  const ranges: string[] = [];
  const ascending = [...uids].sort((a, b) => a - b);
  let first: number | undefined;
  for (const [index, uid] of ascending.entries()) {
    first ??= uid;
    const next = ascending[index + 1];
    if (next === uid || next === uid + 1) continue;
    ranges.push(first === uid ? `${uid}` : `${first}:${uid}`);
    first = undefined;
  }
  const sets: string[] = [];
  for (let start = 0; start < ranges.length; start += RANGES_A_COMMAND) {
    sets.push(ranges.slice(start, start + RANGES_A_COMMAND).join(','));
  }
  return sets;
}

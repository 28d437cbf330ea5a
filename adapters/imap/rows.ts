import type { FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import {
  type ListedMessage,
  type MailFlag,
  type MessagePlace,
  ROW_FIELDS,
} from '../../core/mail/listed-message.ts';
import { MailError } from '../../core/ports/mail.ts';
import { searchFailure } from './connection.ts';
import { type Fetched, fetched, fetchedOne, receivedAt } from './fetched.ts';
import type { OpenFolder } from './session.ts';

/**
 * The fields of a row. Headers instead of ENVELOPE, which imapflow reads more slowly, and which loses the
 * offset of Date and, on some servers, bytes beyond ASCII.
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
  // Flags are case-insensitive (RFC 9051, 2.3.2).
  const lower = new Set([...names].map((name) => name.toLowerCase()));
  const flags: MailFlag[] = ['seen', 'flagged', 'answered', 'forwarded'];
  return new Set(flags.filter((flag) => lower.has(FLAG_NAMES[flag].toLowerCase())));
}

/**
 * Returns the rows of a range of sequence numbers or UIDs, the highest UID first. Leaves out messages that
 * are gone.
 */
export async function fetchRows(
  folder: OpenFolder,
  range: string,
  by: { uid: boolean },
): Promise<ListedMessage[]> {
  const rows = new Map<number, ListedMessage>();
  for await (const message of fetched(folder.client, range, ROW_QUERY, by)) {
    if (isWhole(message)) rows.set(message.uid, rowOf(folder, message));
  }
  return [...rows.values()].sort((a, b) => b.place.uid - a.place.uid);
}

/** @returns undefined if the message is gone, or the folder was replaced */
export async function rowAt(folder: OpenFolder, place: MessagePlace): Promise<ListedMessage | undefined> {
  if (folder.uidValidity !== place.uidValidity) return undefined;
  const rows = await fetchRows(folder, String(place.uid), { uid: true });
  return rows.find((row) => row.place.uid === place.uid);
}

/** Returns the rows of these UIDs, the highest first. */
export async function fetchRowsOf(folder: OpenFolder, uids: readonly number[]): Promise<ListedMessage[]> {
  const rows: ListedMessage[] = [];
  for (const set of uidSets(uids))
    for (const row of await fetchRows(folder, set, { uid: true })) rows.push(row);
  return rows.sort((a, b) => b.place.uid - a.place.uid);
}

/** @throws MailError `not_found` if the message of `place` is not in the folder */
export async function fetchMessage(
  folder: OpenFolder,
  place: MessagePlace,
  query: FetchQueryObject,
): Promise<Fetched> {
  if (place.uidValidity !== folder.uidValidity) throw new MailError('not_found', 'the folder was recreated');
  const message = await fetchedOne(folder.client, String(place.uid), query);
  if (message === undefined || !isWhole(message))
    throw new MailError('not_found', 'there is no such message');
  return message;
}

/** Servers also report flags that another program changed, in the same form but with fewer fields. */
export function isWhole({ uid, size, internalDate, headers, source }: Fetched): boolean {
  return uid > 0 && [size, internalDate, headers, source].some((part) => part !== undefined);
}

/** RFC 8474, 7. A longer one would make a message id too long to be accepted. */
const OBJECT_ID_CHARS = 255;

export function rowOf({ mailbox, uidValidity, client }: OpenFolder, message: Fetched): ListedMessage {
  const { uid, size = 0, flags = new Set(), emailId = '', headers = Buffer.alloc(0) } = message;
  const hasStableIds = client.capabilities.has('OBJECTID') || client.capabilities.has('X-GM-EXT-1');
  return {
    place: { path: mailbox.path, uidValidity, uid },
    stableId: hasStableIds && emailId !== '' && emailId.length <= OBJECT_ID_CHARS ? emailId : null,
    header: headers,
    internalDate: receivedAt(message),
    sizeBytes: size,
    flags: flagsOf(flags),
  };
}

/**
 * Returns the matching UIDs in ascending order.
 * @throws MailError if the server refuses the search
 */
export async function searchUids(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw searchFailure(client);
  return found;
}

/** Counts the matches, without an EXPUNGE in between: the count is a valid sequence number. */
export async function countMatches(client: ImapFlow, query: SearchObject): Promise<number> {
  // Not UID SEARCH: only during a plain SEARCH must a server not renumber its messages (RFC 9051, 7.5.1).
  const found = await client.search(query, { uid: false, returnOptions: ['COUNT'] });
  if (typeof found !== 'object' || Array.isArray(found) || found.count === undefined) {
    throw new MailError('refused', 'the IMAP server refused a search');
  }
  return found.count;
}

/** The number of ranges per command. The line stays below the 8000 bytes that every server accepts. */
const RANGES_A_COMMAND = 300;

/** Returns sets of UIDs, such as `3:7,9`, that together name all of `uids`. */
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

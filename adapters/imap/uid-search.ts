import type { ImapFlow, SearchObject } from 'imapflow';
import { searchFailure } from './connection.ts';

/** Leaves out what is marked as \Deleted. */
export const SHOWN: SearchObject = { deleted: false };

/**
 * Returns the matching UIDs in ascending order, without messages that are marked as \Deleted.
 * @throws MailError if the server refuses the search
 */
export async function searchUids(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search({ ...query, ...SHOWN }, { uid: true });
  if (!Array.isArray(found)) throw searchFailure(client);
  return found;
}

/** Connections whose server announces ESEARCH, and refuses or ignores it. */
const withoutEsearch = new WeakSet<ImapFlow>();

/** Counts the matches that the mailbox shows. */
export function countShown(client: ImapFlow, query: SearchObject): Promise<number> {
  return countMatches(client, { ...query, ...SHOWN });
}

/** Counts all matches, without an EXPUNGE in between: the count is a valid sequence number. */
export async function countMatches(client: ImapFlow, query: SearchObject): Promise<number> {
  // Not UID SEARCH: only during a plain SEARCH must a server not renumber its messages (RFC 9051, 7.5.1).
  if (!withoutEsearch.has(client)) {
    const counted = await client.search(query, { uid: false, returnOptions: ['COUNT'] });
    if (typeof counted === 'object' && !Array.isArray(counted)) {
      if (counted.count !== undefined) return counted.count;
    } else {
      const why = searchFailure(client);
      if (why.code !== 'refused') throw why;
    }
  }
  const found = await client.search(query, { uid: false });
  if (!Array.isArray(found)) throw searchFailure(client);
  withoutEsearch.add(client);
  return found.length;
}

/** Whether the server offers ESEARCH, and refuses or ignores it. The selected folder must not be empty. */
export async function refusesEsearch(client: ImapFlow): Promise<boolean> {
  await countMatches(client, { seq: '1' });
  return withoutEsearch.has(client);
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

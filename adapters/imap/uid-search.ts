import type { ImapFlow, SearchObject } from 'imapflow';
import { MailError } from '../../core/ports/mail.ts';
import { searchFailure } from './connection.ts';

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

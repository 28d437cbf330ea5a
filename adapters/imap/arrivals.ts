import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { fetchedOne } from './fetched.ts';
import { fetchRowsOf } from './rows.ts';
import { type OpenFolder, reportedUidNext } from './session.ts';
import { searchUids } from './uid-search.ts';

/** The highest UID that there can be (RFC 9051, 9, nz-number). Not `*`: to a search of mailutils' imap4d it is none. */
const UID_MAX = 2 ** 32 - 1;

/** Returns the messages with a UID above `uid`, lowest UID first, at most `limit`. Fewer: there are no more. */
export async function arrivalsIn(folder: OpenFolder, uid: number, limit: number): Promise<ListedMessage[]> {
  const found = await searchUids(folder.client, { uid: `${uid + 1}:${UID_MAX}` });
  const waiting = found.filter((one) => one > uid).toSorted((a, b) => a - b);
  let rows: ListedMessage[] = [];
  while (rows.length < limit && waiting.length > 0) {
    // Messages that were removed since the search are missing, and the next ones take their places.
    const next = waiting.splice(0, limit - rows.length);
    rows = rows.concat((await fetchRowsOf(folder, next)).reverse());
  }
  return rows;
}

/** Returns a UID above those of all messages that existed when the folder was selected. */
export async function uidNextOf(folder: OpenFolder): Promise<number> {
  const uidNext = reportedUidNext(folder);
  if (uidNext !== undefined) return uidNext;
  // Also of a message that the mailbox does not show. Not a search: Courier (5.0) finds nothing for `*`.
  const last = folder.mailbox.exists === 0 ? undefined : await fetchedOne(folder.client, '*', { uid: true });
  return (last?.uid ?? 0) + 1;
}

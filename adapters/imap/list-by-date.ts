import type { SearchObject } from 'imapflow';
import type { ListPosition, ListQuery, MessagePage, MessageRow } from '../../core/ports/mail.ts';
import type { ReceivedDates } from './received-dates.ts';
import { countMatches, fetchRowsOf, instant, searchUids } from './rows.ts';
import type { OpenFolder } from './session.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back is looked for a page, further and further until there are enough messages. */
const REACH_DAYS = [2, 8, 32, 128, 512, 2048, Number.POSITIVE_INFINITY];

interface Received {
  readonly uid: number;
  readonly receivedMs: number;
}

/**
 * A page by INTERNALDATE. SORT is not spoken by imapflow, so messages are searched for by days back from the
 * position, and their exact dates asked for.
 */
export async function pageByDate(
  folder: OpenFolder,
  query: ListQuery,
  dates: ReceivedDates,
): Promise<MessagePage> {
  const { client, mailbox } = folder;
  if (mailbox.exists === 0) return { rows: [], more: false, total: 0 };
  const total = query.unread ? await countMatches(client, { seen: false }) : mailbox.exists;
  const startMs = query.after?.internalDateMs ?? (await newestMs(folder));
  for (const days of REACH_DAYS) {
    const candidates = await receivedWithin(folder, query, startMs, days, dates);
    if (candidates.length <= query.limit && Number.isFinite(days)) continue;
    const rows = await fetchInOrder(folder, candidates.slice(0, query.limit));
    if (rows.length > 0 || candidates.length === 0) {
      return { rows, more: candidates.length > query.limit, total };
    }
    // All of them were deleted in this very moment: further back there may be others.
  }
  return { rows: [], more: false, total };
}

/** Where to begin: not exactly the newest, since what is newer than this is found anyway. */
async function newestMs({ client }: OpenFolder): Promise<number> {
  const newest = await client.fetchOne('*', { internalDate: true });
  return newest === false ? 0 : instant(newest.internalDate).getTime();
}

/** All messages behind the position that were received within so many days, in the order of the page. */
async function receivedWithin(
  folder: OpenFolder,
  { unread, after }: ListQuery,
  startMs: number,
  days: number,
  dates: ReceivedDates,
): Promise<Received[]> {
  const reachedMs = startMs - days * DAY_MS;
  // SEARCH compares days as the server's clock shows them, without time and zone: a day more on both sides.
  const search: SearchObject = {
    ...(unread ? { seen: false } : {}),
    ...(Number.isFinite(days) ? { since: new Date(reachedMs - DAY_MS) } : {}),
    ...(after === undefined ? {} : { before: new Date(startMs + 2 * DAY_MS) }),
  };
  const uids = await searchUids(folder.client, Object.keys(search).length === 0 ? { all: true } : search);
  const received = [...(await dates.of(folder, uids))].map(([uid, receivedMs]) => ({ uid, receivedMs }));
  return received
    .filter((message) => message.receivedMs >= reachedMs && comesAfter(message, after))
    .sort((a, b) => b.receivedMs - a.receivedMs || b.uid - a.uid);
}

function comesAfter({ uid, receivedMs }: Received, after: ListPosition | undefined): boolean {
  if (after === undefined) return true;
  return receivedMs < after.internalDateMs || (receivedMs === after.internalDateMs && uid < after.uid);
}

async function fetchInOrder(folder: OpenFolder, page: readonly Received[]): Promise<MessageRow[]> {
  const uids = page.map(({ uid }) => uid);
  const rows = new Map((await fetchRowsOf(folder, uids)).map((row) => [row.place.uid, row]));
  return uids.flatMap((uid) => rows.get(uid) ?? []);
}

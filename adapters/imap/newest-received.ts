import type { SearchObject } from 'imapflow';
import { DAY_MS } from '../../core/time/durations.ts';
import { fetchedOne } from './fetched.ts';
import type { ReceivedDates } from './received-dates.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

/** How far back a page is searched: further and further until there are enough messages. */
const REACH_DAYS = [2, 8, 32, 128, 512, 2048, Number.POSITIVE_INFINITY];
/** The dates of this many messages are fetched at once instead of by days. */
export const FEW = 1_000;

export interface Received {
  readonly uid: number;
  readonly receivedMs: number;
}

export interface WantedByDate {
  /** The messages to choose from: the result of a search, or these UIDs. */
  readonly among: { readonly search: SearchObject } | { readonly uids: readonly number[] };
  /** INTERNALDATE of the position after which the page starts. Undefined: at the newest. */
  readonly afterMs: number | undefined;
  isBehind(message: Received): boolean;
  readonly count: number;
}

/**
 * Returns the first messages after a position, newest INTERNALDATE first, then the highest UID. imapflow has
 * no SORT, so messages are searched by days back from the position, and their exact dates are fetched.
 */
export async function newestReceived(
  folder: OpenFolder,
  wanted: WantedByDate,
  dates: ReceivedDates,
): Promise<Received[]> {
  const { among, afterMs, count } = wanted;
  if ('uids' in among && among.uids.length <= FEW) {
    return (await inOrder(folder, among.uids, wanted, dates)).slice(0, count);
  }
  const named = 'uids' in among ? new Set(among.uids) : undefined;
  const startMs = afterMs ?? (await newestMs(folder, 'uids' in among ? String(among.uids.at(-1)) : '*'));
  for (const days of REACH_DAYS) {
    const reachedMs = startMs - days * DAY_MS;
    // SEARCH compares days by the server's clock, without time and zone: one more day on each side.
    const search: SearchObject = {
      ...('search' in among ? among.search : {}),
      ...(Number.isFinite(days) ? { since: searchable(reachedMs - DAY_MS) } : {}),
      ...(afterMs === undefined ? {} : { before: new Date(startMs + 2 * DAY_MS) }),
    };
    const all = await searchUids(folder.client, search);
    const uids = named === undefined ? all : all.filter((uid) => named.has(uid));
    const reached = (await inOrder(folder, uids, wanted, dates)).filter(
      ({ receivedMs }) => receivedMs >= reachedMs,
    );
    if (reached.length >= count || !Number.isFinite(days)) return reached.slice(0, count);
  }
  return [];
}

/** No mail was received before 1970, and servers refuse to search for early years. */
export function searchable(ms: number): Date {
  return new Date(Math.max(0, ms));
}

/** Where to start. Not exactly the newest, because newer messages are found anyway. */
async function newestMs({ client }: OpenFolder, uid: string): Promise<number> {
  const newest = await fetchedOne(client, uid, { internalDate: true });
  return newest?.internalDate?.getTime() ?? Date.now();
}

async function inOrder(
  folder: OpenFolder,
  uids: readonly number[],
  { isBehind }: WantedByDate,
  dates: ReceivedDates,
): Promise<Received[]> {
  const received = [...(await dates.of(folder, uids))].map(([uid, receivedMs]) => ({ uid, receivedMs }));
  return received.filter(isBehind).sort((a, b) => b.receivedMs - a.receivedMs || b.uid - a.uid);
}

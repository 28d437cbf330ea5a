import type { ListedMessage } from '../../core/mail/listed-message.ts';
import type { ListPosition, ListQuery, MessagePage } from '../../core/ports/mail-reading.ts';
import type { KnownRows } from './known-rows.ts';
import { newestReceived, type Received } from './newest-received.ts';
import type { ReceivedDates } from './received-dates.ts';
import type { OpenFolder } from './session.ts';
import { countShown } from './uid-search.ts';

/** Returns a page by INTERNALDATE. */
export async function pageByDate(
  folder: OpenFolder,
  { unread, after, limit }: ListQuery,
  dates: ReceivedDates,
  known: KnownRows,
): Promise<MessagePage> {
  const { client, mailbox } = folder;
  if (mailbox.exists === 0) return { rows: [], more: false, total: 0 };
  const total = await countShown(client, unread ? { seen: false } : { all: true });
  const wanted = {
    among: { search: unread ? { seen: false } : {} },
    afterMs: after?.internalDateMs,
    isBehind: (message: Received) => comesAfter(message, after),
    count: limit + 1,
  };
  for (;;) {
    const candidates = await newestReceived(folder, wanted, dates);
    const rows = await fetchInOrder(folder, candidates.slice(0, limit), known);
    // If all of them were deleted just now, there may be more behind them.
    if (rows.length > 0 || candidates.length === 0) return { rows, more: candidates.length > limit, total };
  }
}

function comesAfter({ uid, receivedMs }: Received, after: ListPosition | undefined): boolean {
  if (after === undefined) return true;
  return receivedMs < after.internalDateMs || (receivedMs === after.internalDateMs && uid < after.uid);
}

async function fetchInOrder(
  folder: OpenFolder,
  page: readonly Received[],
  known: KnownRows,
): Promise<ListedMessage[]> {
  const uids = page.map(({ uid }) => uid);
  const rows = new Map((await known.of(folder, uids)).map((row) => [row.place.uid, row]));
  return uids.flatMap((uid) => rows.get(uid) ?? []);
}

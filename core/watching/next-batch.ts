import { type MailReader, readRows } from '../accounts/mail-reader.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Clock } from '../ports/clock.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { OpenInbox } from '../ports/mail-watching.ts';
import { advance, isRestored, reopening } from './inbox-position.ts';
import type { InboxPosition } from './inbox-state.ts';

/** The next messages of an inbox after a position. */
export interface Batch {
  /** The new ones, lowest UID first. */
  readonly fresh: readonly MessageRow[];
  /** The position after all of them. */
  readonly to: InboxPosition;
  readonly isEnd: boolean;
}

const ROWS_OF_PAGE = 200;

/**
 * @param isFirst  of this visit: whether the inbox was restored is looked at once, because the UIDNEXT of a visit gets old
 * @throws MailError
 */
export async function nextBatch(
  ports: { readonly mail: Pick<MailReader, 'list'>; readonly clock: Clock },
  call: MailCall,
  inbox: OpenInbox,
  position: InboxPosition,
  { isFirst, limit }: { readonly isFirst: boolean; readonly limit: number },
): Promise<Batch> {
  const after = async (uid: number, most: number) => readRows(await inbox.arrivals(uid, most), ports.clock);
  const batch = (from: InboxPosition, rows: readonly MessageRow[]): Batch => {
    const isEnd = rows.length < limit;
    return { ...advance(from, rows, isEnd ? inbox.uidNext : undefined), isEnd };
  };
  if (position.uidValidity === inbox.uidValidity) {
    // Where there may be new mail, the last message that was read is looked at once more.
    const isLooking = isFirst && position.uid > 0 && inbox.uidNext > position.uid + 1;
    const rows = isLooking ? await after(position.uid - 1, limit + 1) : await after(position.uid, limit);
    const last = rows.find(({ place }) => place.uid === position.uid);
    if (!isFirst || !isRestored(position, inbox, last)) {
      return batch(position, rows.filter((row) => row !== last).slice(0, limit));
    }
  }
  const from = await reopened(ports.mail, call, inbox, position);
  return batch(from, await after(from.uid, limit));
}

/** Reads the mail received since the position's time, newest first, to find where its new mail starts. */
async function reopened(
  mail: Pick<MailReader, 'list'>,
  call: MailCall,
  inbox: OpenInbox,
  position: InboxPosition,
): Promise<InboxPosition> {
  const opening = reopening(position, inbox);
  const query = { path: 'INBOX', unread: false, order: 'date', limit: ROWS_OF_PAGE } as const;
  let after: Parameters<MailReader['list']>[1]['after'];
  for (;;) {
    const page = await mail.list(call, { ...query, after });
    for (const row of page.rows) {
      if (row.place.uidValidity !== inbox.uidValidity) {
        throw new MailError('unavailable', 'the inbox was replaced while it was read');
      }
      if (row.internalDate.getTime() < position.sinceS * 1000) return opening.position();
      opening.see(row);
    }
    const last = page.rows.at(-1);
    if (!page.more || last === undefined) return opening.position();
    const { uidValidity, uid } = last.place;
    after = { uidValidity, uid, internalDateMs: last.internalDate.getTime() };
  }
}

/** Whether a position says the same: then there is nothing to store. */
export function isAt(a: InboxPosition, b: InboxPosition): boolean {
  return a.uidValidity === b.uidValidity && a.uid === b.uid && (a.sift === null) === (b.sift === null);
}

import { type MailReader, readRows } from '../accounts/mail-reader.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Clock } from '../ports/clock.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { OpenInbox } from '../ports/mail-watching.ts';
import type { InboxPosition } from '../ports/watch-storage.ts';
import { advance, reopening } from './inbox-position.ts';

/** The next messages of an inbox after a position. */
export interface Batch {
  /** The new ones, lowest UID first. */
  readonly fresh: readonly MessageRow[];
  /** The position after all of them. */
  readonly to: InboxPosition;
  readonly isEnd: boolean;
}

const ROWS_OF_PAGE = 200;

/** @throws MailError */
export async function nextBatch(
  ports: { readonly mail: Pick<MailReader, 'list'>; readonly clock: Clock },
  call: MailCall,
  inbox: OpenInbox,
  position: InboxPosition,
  limit: number,
): Promise<Batch> {
  const isSame = position.uidValidity === inbox.uidValidity;
  const from = isSame ? position : await reopened(ports.mail, call, inbox, position);
  const listed = await inbox.arrivals(from.uid, limit);
  const isEnd = listed.length < limit;
  return { ...advance(from, await readRows(listed, ports.clock), isEnd), isEnd };
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

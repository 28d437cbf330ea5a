import type { SearchObject } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { ListQuery, MessagePage } from '../../core/ports/mail-reading.ts';
import type { ImapAccount } from './imap-accounts.ts';
import type { KnownRows } from './known-rows.ts';
import { pageByDate } from './list-by-date.ts';
import type { OpenFolder } from './session.ts';
import { countMatches, searchUids } from './uid-search.ts';

export async function listFolder(
  folder: OpenFolder,
  query: ListQuery,
  { dates, rows }: Pick<ImapAccount, 'dates' | 'rows'>,
): Promise<MessagePage> {
  const { after } = query;
  if (after !== undefined && after.uidValidity !== null && after.uidValidity !== folder.uidValidity) {
    throw new MailError('not_found', 'the folder was recreated since that page');
  }
  if (query.order === 'date') return pageByDate(folder, query, dates, rows);
  if (query.unread) return searchedByUid(folder, query, rows, { seen: false });
  const isEmpty = folder.mailbox.exists === 0;
  const hasDeleted = !isEmpty && (await countMatches(folder.client, { deleted: true })) > 0;
  return hasDeleted ? searchedByUid(folder, query, rows, { all: true }) : allByUid(folder, query, rows);
}

/** Sequence numbers rise with UIDs, so a page is a range of them if nothing is left out. */
async function allByUid(
  folder: OpenFolder,
  { after, limit }: ListQuery,
  known: KnownRows,
): Promise<MessagePage> {
  const { mailbox } = folder;
  let last = after === undefined ? mailbox.exists : await countUpTo(folder, after.uid - 1);
  let rows: ListedMessage[] = [];
  // All messages of a page may be gone by the time it is fetched.
  while (rows.length === 0 && last > 0) {
    const first = Math.max(1, last - limit + 1);
    rows = await known.in(folder, first, last);
    last = first - 1;
  }
  return { rows, more: last > 0, total: mailbox.exists };
}

async function countUpTo({ client, mailbox }: OpenFolder, uid: number): Promise<number> {
  return uid < 1 || mailbox.exists === 0 ? 0 : countMatches(client, { uid: `1:${uid}` });
}

async function searchedByUid(
  folder: OpenFolder,
  { after, limit }: ListQuery,
  known: KnownRows,
  search: SearchObject,
): Promise<MessagePage> {
  const found = folder.mailbox.exists === 0 ? [] : await searchUids(folder.client, search);
  let left = found.filter((uid) => after === undefined || uid < after.uid);
  let rows: ListedMessage[] = [];
  while (rows.length === 0 && left.length > 0) {
    rows = await known.of(folder, left.slice(-limit));
    left = left.slice(0, -limit);
  }
  return { rows, more: left.length > 0, total: found.length };
}

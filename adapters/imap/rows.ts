import type { FetchQueryObject } from 'imapflow';
import { headerBlock } from '../../core/mail/header-fields.ts';
import {
  type ListedMessage,
  type MailFlag,
  type MessagePlace,
  RECEIPT_FIELDS,
  ROW_FIELDS,
} from '../../core/mail/listed-message.ts';
import { MailError } from '../../core/ports/mail.ts';
import { deliveryRefusal } from './failure.ts';
import { fetchEach, isShown } from './fetch-each.ts';
import { type Fetched, fetched, fetchedOne, receivedAt } from './fetched.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

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
  /** Only Gmail has them. */
  labels: true,
};

const RECEIPT_QUERY: FetchQueryObject = { ...ROW_QUERY, headers: [...ROW_FIELDS, ...RECEIPT_FIELDS] };

export const FLAG_NAMES: Readonly<Record<MailFlag, string>> = {
  seen: '\\Seen',
  flagged: '\\Flagged',
  answered: '\\Answered',
  forwarded: '$Forwarded',
  draft: '\\Draft',
};

export function flagsOf(names: ReadonlySet<string>): ReadonlySet<MailFlag> {
  // Flags are case-insensitive (RFC 9051, 2.3.2).
  const lower = new Set([...names].map((name) => name.toLowerCase()));
  const flags: MailFlag[] = ['seen', 'flagged', 'answered', 'forwarded', 'draft'];
  return new Set(flags.filter((flag) => lower.has(FLAG_NAMES[flag].toLowerCase())));
}

/** System flags, Gmail's own labels, and registered keywords (RFC 5788) have a meaning for programs. */
function labelsAmong(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => name !== '' && !/^[\\$]/.test(name));
}

/** Returns the rows of a range of sequence numbers, the highest UID first. Leaves out messages that are gone. */
export async function fetchRowsIn(folder: OpenFolder, first: number, last: number): Promise<ListedMessage[]> {
  const rows = new Map<number, ListedMessage>();
  const range = `${first}:${last}`;
  try {
    for await (const message of fetched(folder.client, range, ROW_QUERY, { uid: false })) {
      if (isShown(message)) rows.set(message.uid, rowOf(folder, message));
    }
  } catch (error) {
    if (deliveryRefusal(error) === undefined) throw error;
    rows.clear();
  }
  if (rows.size > last - first) return [...rows.values()].sort(highestFirst);
  return fetchRowsOf(folder, await searchUids(folder.client, { seq: range }));
}

/** @returns undefined if the message is gone, or the folder was replaced */
export async function rowAt(folder: OpenFolder, place: MessagePlace): Promise<ListedMessage | undefined> {
  if (folder.uidValidity !== place.uidValidity) return undefined;
  const message = await fetchedOne(folder.client, String(place.uid), RECEIPT_QUERY);
  return message !== undefined && isShown(message) ? rowOf(folder, message) : undefined;
}

/** Returns the rows of these UIDs, the highest first. Leaves out messages that are gone. */
export async function fetchRowsOf(folder: OpenFolder, uids: readonly number[]): Promise<ListedMessage[]> {
  const { messages, undeliverable } = await fetchEach(folder.client, uids, ROW_QUERY);
  const rows = messages.map((message) => rowOf(folder, message));
  for (const message of undeliverable) rows.push(undeliverableRow(folder, message));
  return rows.sort(highestFirst);
}

/** The order of rows: the highest UID first. */
export function highestFirst(a: ListedMessage, b: ListedMessage): number {
  return b.place.uid - a.place.uid;
}

/** The row of a message that the server cannot deliver. */
export function undeliverableRow(folder: OpenFolder, message: Fetched): ListedMessage {
  return { ...rowOf(folder, message), undeliverable: true };
}

/** @throws MailError `not_found` if the message of `place` is not in the folder */
export async function fetchMessage(
  folder: OpenFolder,
  place: MessagePlace,
  query: FetchQueryObject,
): Promise<Fetched> {
  if (place.uidValidity !== folder.uidValidity) throw new MailError('not_found', 'the folder was recreated');
  const message = await fetchedOne(folder.client, String(place.uid), { ...query, flags: true });
  if (message === undefined || !isShown(message))
    throw new MailError('not_found', 'there is no such message');
  return message;
}

/** RFC 8474, 7. A longer one would make a message id too long to be accepted. */
const OBJECT_ID_CHARS = 255;

export function rowOf({ mailbox, uidValidity, client }: OpenFolder, message: Fetched): ListedMessage {
  const {
    uid,
    size = 0,
    flags = new Set(),
    labels = flags,
    emailId = '',
    internalDate,
    headers,
    source,
  } = message;
  // A server that does not report the header breaks its protocol: even one without these fields ends with an empty line.
  const isReported = headers !== undefined && headers.length > 0;
  const header = isReported ? headers : source && headerBlock(source);
  const shownLabels = labelsAmong(labels);
  const hasStableIds = client.capabilities.has('OBJECTID') || client.capabilities.has('X-GM-EXT-1');
  return {
    place: { path: mailbox.path, uidValidity, uid },
    stableId: hasStableIds && emailId !== '' && emailId.length <= OBJECT_ID_CHARS ? emailId : null,
    header: header ?? Buffer.alloc(0),
    internalDate: receivedAt({ internalDate, headers: header }),
    sizeBytes: size,
    flags: flagsOf(flags),
    ...(shownLabels.length > 0 && { labels: shownLabels }),
    ...(header === undefined && { undeliverable: true }),
  };
}

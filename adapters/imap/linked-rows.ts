import type { SearchObject } from 'imapflow';
import { boundedFields } from '../../core/mail/bounded-fields.ts';
import { readHeaders } from '../../core/mail/header-fields.ts';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { type ListedMessage, ROW_FIELDS } from '../../core/mail/listed-message.ts';
import { inReplyToIds, messageIdOf, referenceIds } from '../../core/mail/message-ids.ts';
import { threadIndexStart } from '../../core/mail/thread-index.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import { fetchEach } from './fetch-each.ts';
import type { Fetched } from './fetched.ts';
import { fetchMessage, ROW_QUERY, rowOf, undeliverableRow } from './rows.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

/** The id of a message, and those of the messages that it answers. */
interface MessageIds {
  readonly messageId: string | null;
  /** Where it names none, the id of its conversation in Outlook, if it has one. */
  readonly refersTo: readonly string[];
}

/** A row with its ids, and the server's own id of its conversation. */
export interface LinkedRow extends MessageIds {
  readonly row: ListedMessage;
  readonly threadId: string | undefined;
}

/** The headers with the id of a message and the ids that it answers. */
export const LINK_HEADERS = ['message-id', 'references', 'in-reply-to', 'thread-index'];

const LINKED_QUERY = {
  ...ROW_QUERY,
  headers: [...new Set([...ROW_FIELDS, ...LINK_HEADERS])],
  threadId: true,
};

/** No Message-ID begins so. */
const OUTLOOKS = 'thread-index:';

/** The searches for messages that have an id, and for those that name it. They match parts of other ids, too. */
export function searchesFor(id: string): { readonly has: SearchObject[]; readonly names: SearchObject[] } {
  if (id.startsWith(OUTLOOKS)) {
    return { has: [], names: [{ header: { 'thread-index': id.slice(OUTLOOKS.length) } }] };
  }
  return {
    has: [{ header: { 'message-id': id } }],
    names: [{ header: { references: id } }, { header: { 'in-reply-to': id } }],
  };
}

/** @throws MailError `not_found` if there is no message at the place */
export async function linkedRow(folder: OpenFolder, place: MessagePlace): Promise<LinkedRow> {
  return linkedOf(folder, await fetchMessage(folder, place, LINKED_QUERY));
}

/** Returns the matches that were not found before. */
export async function linkedRows(
  folder: OpenFolder,
  search: SearchObject,
  found: ReadonlySet<number>,
): Promise<LinkedRow[]> {
  if (folder.mailbox.exists === 0) return [];
  const uids = (await searchUids(folder.client, search)).filter((uid) => !found.has(uid));
  const { messages, undeliverable } = await fetchEach(folder.client, uids.slice(-THREAD_MAX), LINKED_QUERY);
  return [
    ...messages.map((message) => linkedOf(folder, message)),
    ...undeliverable.map((message) => ({
      ...linkedOf(folder, message),
      row: undeliverableRow(folder, message),
    })),
  ];
}

function linkedOf(folder: OpenFolder, message: Fetched): LinkedRow {
  const { threadId, headers = Buffer.alloc(0) } = message;
  return { row: rowOf(folder, message), ...linksIn(headers), threadId };
}

/** Returns the id of a message and those that it answers, from a block of its LINK_HEADERS. */
export function linkedIds(block: Buffer): string[] {
  return idsOf(linksIn(block));
}

export function idsOf({ messageId, refersTo }: MessageIds): string[] {
  return messageId === null ? [...refersTo] : [messageId, ...refersTo];
}

/** For 500 messages with long ids, more than programs ever list. */
const FIELD_BYTES = 64 * 1024;

/** If a message has several ids, the first counts. */
function linksIn(block: Buffer): MessageIds {
  const fields = readHeaders(boundedFields(block, LINK_HEADERS, FIELD_BYTES));
  const values = (name: string) => fields.filter(({ key }) => key === name).map(({ value }) => value);
  const listed = values('references').flatMap(referenceIds);
  const answered = values('in-reply-to').flatMap(inReplyToIds);
  const named = [...new Set([...listed, ...answered])];
  const outlooks = threadIndexStart(values('thread-index')[0] ?? '');
  return {
    messageId: messageIdOf(values('message-id')[0] ?? ''),
    refersTo: named.length === 0 && outlooks !== null ? [`${OUTLOOKS}${outlooks}`] : named,
  };
}

import type { SearchObject } from 'imapflow';
import { LINK_FIELDS, type MessageIds, messageIds, OUTLOOK_ID } from '../../core/mail/linked-ids.ts';
import { type ListedMessage, type MessagePlace, ROW_FIELDS } from '../../core/mail/listed-message.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import { fetchEach } from './fetch-each.ts';
import type { Fetched } from './fetched.ts';
import { fetchMessage, ROW_QUERY, rowOf, undeliverableRow } from './rows.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

/** A row with its ids, and the server's own id of its conversation. */
export interface LinkedRow extends MessageIds {
  readonly row: ListedMessage;
  readonly threadId: string | undefined;
}

const LINKED_QUERY = {
  ...ROW_QUERY,
  headers: [...new Set([...ROW_FIELDS, ...LINK_FIELDS])],
  threadId: true,
};

/** The searches for messages that have an id, and for those that name it. They match parts of other ids, too. */
export function searchesFor(id: string): { readonly has: SearchObject[]; readonly names: SearchObject[] } {
  if (id.startsWith(OUTLOOK_ID)) {
    return { has: [], names: [{ header: { 'thread-index': id.slice(OUTLOOK_ID.length) } }] };
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
  return { row: rowOf(folder, message), ...messageIds(headers), threadId };
}

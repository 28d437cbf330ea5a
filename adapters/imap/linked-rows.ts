import type { FetchMessageObject, SearchObject } from 'imapflow';
import { boundedFields } from '../../core/mail/bounded-fields.ts';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { type ListedMessage, ROW_FIELDS } from '../../core/mail/listed-message.ts';
import { inReplyToIds, messageIdOf, referenceIds } from '../../core/mail/message-ids.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import { fetchMessage, isWhole, ROW_QUERY, rowOf, searchUids, uidSets } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** A row with the ids of the messages that it answers, and the server's own id of its conversation. */
export interface LinkedRow {
  readonly row: ListedMessage;
  readonly messageId: string | null;
  readonly refersTo: readonly string[];
  readonly threadId: string | undefined;
}

/** The headers with the id of a message and the ids that it answers. */
export const LINK_HEADERS = ['message-id', 'references', 'in-reply-to'];

const LINKED_QUERY = {
  ...ROW_QUERY,
  headers: [...ROW_FIELDS, 'references', 'in-reply-to'],
  threadId: true,
};

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
  const linked: LinkedRow[] = [];
  for (const set of uidSets(uids.slice(-THREAD_MAX))) {
    const messages = await folder.client.fetchAll(set, LINKED_QUERY, { uid: true });
    for (const message of messages.filter(isWhole)) linked.push(linkedOf(folder, message));
  }
  return linked;
}

function linkedOf(folder: OpenFolder, message: FetchMessageObject): LinkedRow {
  const { threadId, headers = Buffer.alloc(0) } = message;
  const { named, refersTo } = linksIn(headers);
  return { row: rowOf(folder, message), messageId: named[0] ?? null, refersTo, threadId };
}

/** Returns the id of a message and those that it answers, from a block of its LINK_HEADERS. */
export function linkedIds(block: Buffer): string[] {
  const { named, refersTo } = linksIn(block);
  return [...named, ...refersTo];
}

/** `named`: its id, or none. If there are several, the first counts. */
function linksIn(block: Buffer): { named: string[]; refersTo: string[] } {
  const fields = fieldsOf(block);
  const [id] = valuesOf(fields, 'message-id').map(messageIdOf);
  const listed = valuesOf(fields, 'references').flatMap(referenceIds);
  const answered = valuesOf(fields, 'in-reply-to').flatMap(inReplyToIds);
  return { named: id == null ? [] : [id], refersTo: [...new Set([...listed, ...answered])] };
}

function valuesOf(fields: readonly string[], name: string): string[] {
  const start = new RegExp(`^${name}[ \\t]*:`, 'i');
  return fields.filter((field) => start.test(field)).map((field) => field.replace(start, ''));
}

/** For 500 messages with long ids, more than programs ever list. */
const FIELD_BYTES = 64 * 1024;

function fieldsOf(block: Buffer): string[] {
  return boundedFields(block, LINK_HEADERS, FIELD_BYTES)
    .toString('latin1')
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/);
}

import { folderKey, type MessagePlace, type MessageRow, THREAD_MAX } from '../../core/ports/mail.ts';
import type { AccountConnections } from './account-connections.ts';
import type { ConversationIndex } from './conversation-index.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { linkedRow, linkedRows } from './linked-rows.ts';
import { byReferences } from './references.ts';
import { inFolder } from './session.ts';

/**
 * The rows of a conversation, oldest first, each message once.
 * @throws MailError `not_found` where the place holds no message
 */
export async function conversationOf(
  connections: AccountConnections,
  index: ConversationIndex,
  scopes: readonly SearchScope[],
  place: MessagePlace,
  limit: AbortSignal,
): Promise<MessageRow[]> {
  const indexed = await index.rows(place, limit);
  if (indexed !== undefined) return inOrder(indexed);
  const begun = await inFolder(connections, place.path, limit, (folder) => linkedRow(folder, place));
  const found =
    begun.threadId === undefined
      ? await byReferences(connections, scopes, begun, limit)
      : await byThreadId(connections, scopes, begun.threadId, limit);
  return inOrder([begun.row, ...found]);
}

function inOrder(rows: readonly MessageRow[]): MessageRow[] {
  return eachOnce(rows).sort(oldestFirst).slice(-THREAD_MAX);
}

async function byThreadId(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  threadId: string,
  limit: AbortSignal,
): Promise<MessageRow[]> {
  const found = await inEachFolder(connections, scopes, limit, (folder, { only }) =>
    linkedRows(folder, { ...only, threadId }, new Set()),
  );
  return found.flatMap((some) => some ?? []).map(({ row }) => row);
}

/** A message that lies in several folders is one; two that only share a Message-ID are two. */
function eachOnce(rows: readonly MessageRow[]): MessageRow[] {
  const once = new Map<string, MessageRow>();
  for (const row of rows) {
    const identity = row.stableId ?? row.fingerprint;
    if (!once.has(identity)) once.set(identity, row);
  }
  return [...once.values()];
}

function oldestFirst(a: MessageRow, b: MessageRow): number {
  const byDate = a.internalDate.getTime() - b.internalDate.getTime();
  if (byDate !== 0) return byDate;
  if (a.place.path === b.place.path) return a.place.uid - b.place.uid;
  return folderKey(a.place.path) < folderKey(b.place.path) ? -1 : 1;
}

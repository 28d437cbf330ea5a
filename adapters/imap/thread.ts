import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import type { AccountConnections } from './account-connections.ts';
import type { ConversationIndex } from './conversation-index.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { linkedRow, linkedRows } from './linked-rows.ts';
import { byReferences } from './references.ts';
import { inFolder } from './session.ts';

/**
 * Returns the messages of a conversation, once per folder that contains them.
 * @throws MailError `not_found` if there is no message at the place
 */
export async function conversationOf(
  connections: AccountConnections,
  index: ConversationIndex,
  scopes: readonly SearchScope[],
  place: MessagePlace,
  limit: AbortSignal,
): Promise<ListedMessage[]> {
  const indexed = await index.rows(place, limit);
  if (indexed !== undefined) return indexed;
  const begun = await inFolder(connections, place.path, limit, (folder) => linkedRow(folder, place));
  const found =
    begun.threadId === undefined
      ? await byReferences(connections, scopes, begun, limit)
      : await byThreadId(connections, scopes, begun.threadId, limit);
  return [begun.row, ...found];
}

async function byThreadId(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  threadId: string,
  limit: AbortSignal,
): Promise<ListedMessage[]> {
  const found = await inEachFolder(connections, scopes, limit, (folder, { only }) =>
    linkedRows(folder, { ...only, threadId }, new Set()),
  );
  return found.flatMap((some) => some ?? []).map(({ row }) => row);
}

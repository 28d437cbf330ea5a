import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import type { Conversation } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import type { ConversationIndex } from './conversation-index.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { linkedRow, linkedRows } from './linked-rows.ts';
import { type MissingParts, missingParts } from './missing-parts.ts';
import { byReferences } from './references.ts';
import { inFolder } from './session.ts';

/**
 * Returns the messages of a conversation, once per folder that contains them, and what the server refuses.
 * @throws MailError `not_found` if there is no message at the place
 */
export async function conversationOf(
  connections: AccountConnections,
  index: ConversationIndex,
  scopes: readonly SearchScope[],
  place: MessagePlace,
  limit: AbortSignal,
): Promise<readonly ListedMessage[] | Conversation> {
  const collected = missingParts();
  const rows =
    (await index.rows(place, limit, collected)) ??
    (await searchedRows(connections, scopes, place, limit, collected));
  const missing = collected.all();
  return missing.length === 0 ? rows : { rows, missing };
}

async function searchedRows(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  place: MessagePlace,
  limit: AbortSignal,
  missing: MissingParts,
): Promise<readonly ListedMessage[]> {
  const begun = await inFolder(connections, place, limit, (folder) => linkedRow(folder, place));
  const found =
    begun.threadId === undefined
      ? await byReferences(connections, scopes, begun, limit, missing)
      : await byThreadId(connections, scopes, begun.threadId, limit, missing);
  return [begun.row, ...found];
}

async function byThreadId(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  threadId: string,
  limit: AbortSignal,
  missing: MissingParts,
): Promise<ListedMessage[]> {
  const found = await inEachFolder(
    connections,
    scopes,
    limit,
    (folder, { only }) => linkedRows(folder, { ...only, threadId }, new Set()),
    missing,
  );
  return found.flatMap((some) => some ?? []).map(({ row }) => row);
}

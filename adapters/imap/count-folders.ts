import type { SearchObject } from 'imapflow';
import type { FolderCounts, RefusedFolder } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { type FolderList, listWithStatus } from './folders.ts';
import { missingParts } from './missing-parts.ts';
import { onConnection } from './session.ts';
import { countShown } from './uid-search.ts';

type Counts = Pick<FolderCounts, 'total' | 'unread'>;

/**
 * Counts the messages of each folder. A folder without a STATUS is opened instead. STATUS counts what is marked as
 * \Deleted too: only IMAP4rev2 says how many those are (RFC 9051, 6.3.11), and none how many of them are unread. A SEARCH in
 * each folder would tell, at the cost of opening it.
 */
export async function countFolders(
  connections: AccountConnections,
  limit: AbortSignal,
): Promise<{ counts: readonly (FolderCounts | RefusedFolder)[]; list: FolderList }> {
  const { list, statuses } = await onConnection(connections, limit, (client) =>
    listWithStatus(client, { messages: true, unseen: true, deleted: true }),
  );
  const counted = new Map<string, Counts>();
  for (const [path, { messages, unseen: unread, deleted = 0 }] of statuses) {
    if (messages !== undefined && unread !== undefined)
      counted.set(path, { total: Math.max(0, messages - deleted), unread });
  }
  const missing = missingParts();
  const others = list.folders.filter(({ path }) => !counted.has(path));
  await inEachFolder(
    connections,
    others,
    limit,
    async ({ client, mailbox }, { path }) => {
      const count = (query: SearchObject) => (mailbox.exists === 0 ? 0 : countShown(client, query));
      counted.set(path, { total: await count({ all: true }), unread: await count({ seen: false }) });
    },
    missing,
  );
  missing.throwIfNothingElse(list.folders.length);
  const refused = new Set(missing.all().map(({ path }) => path));
  const counts = list.folders.flatMap((folder): readonly (FolderCounts | RefusedFolder)[] => {
    const one = counted.get(folder.path);
    if (one !== undefined) return [{ ...folder, ...one }];
    // Otherwise the folder was deleted since it was listed.
    return refused.has(folder.path) ? [{ ...folder, refused: true }] : [];
  });
  return { counts, list };
}

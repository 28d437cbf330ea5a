import type { FolderCounts, RefusedFolder } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { type FolderList, listWithStatus } from './folders.ts';
import { missingParts } from './missing-parts.ts';
import { onConnection } from './session.ts';
import { searchUids } from './uid-search.ts';

type Counts = Pick<FolderCounts, 'total' | 'unread'>;

/** Counts the messages of each folder. A folder without a STATUS is opened instead. */
export async function countFolders(
  connections: AccountConnections,
  limit: AbortSignal,
): Promise<{ counts: readonly (FolderCounts | RefusedFolder)[]; list: FolderList }> {
  const { list, statuses } = await onConnection(connections, limit, (client) =>
    listWithStatus(client, { messages: true, unseen: true }),
  );
  const counted = new Map<string, Counts>();
  for (const [path, { messages: total, unseen: unread }] of statuses) {
    if (total !== undefined && unread !== undefined) counted.set(path, { total, unread });
  }
  const missing = missingParts();
  const others = list.folders.filter(({ path }) => !counted.has(path));
  await inEachFolder(
    connections,
    others,
    limit,
    async ({ client, mailbox }, { path }) => {
      const unread = mailbox.exists === 0 ? [] : await searchUids(client, { seen: false });
      counted.set(path, { total: mailbox.exists, unread: unread.length });
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

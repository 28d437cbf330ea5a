import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { hasThreadIds, listWithStatus } from './folders.ts';
import type { MissingParts } from './missing-parts.ts';
import { type OpenFolder, onConnection, reportedUidNext } from './session.ts';

/** A folder, and how far its messages are numbered. */
export interface MarkedFolder {
  readonly path: string;
  /** Decimal. */
  readonly uidValidity: string;
  /** Above the UID of every existing message. */
  readonly uidNext: number;
  readonly total: number;
}

/**
 * Returns the folders that together show every message once, without those that are missing. A folder without a STATUS is
 * opened instead. Undefined if the server does not report how far its messages are numbered, or has its own conversations.
 */
export async function readMarks(
  connections: AccountConnections,
  limit: AbortSignal,
  missing: MissingParts,
): Promise<readonly MarkedFolder[] | undefined> {
  const read = await onConnection(connections, limit, async (client) =>
    hasThreadIds(client)
      ? undefined
      : listWithStatus(client, { messages: true, uidNext: true, uidValidity: true }),
  );
  if (read === undefined) return undefined;
  const marks: MarkedFolder[] = [];
  const unmarked: { readonly path: string }[] = [];
  for (const { path } of read.list.scopes) {
    const { messages: total, uidNext, uidValidity } = read.statuses.get(path) ?? {};
    if (total === undefined) unmarked.push({ path });
    else if (uidNext === undefined || uidValidity === undefined) return undefined;
    else marks.push({ path, uidValidity: String(uidValidity), uidNext, total });
  }
  const opened = await inEachFolder(
    connections,
    unmarked,
    limit,
    async (folder, { path }) => ({ mark: markOf(path, folder) }),
    missing,
  );
  for (const read of opened) {
    if (read === undefined) continue;
    if (read.mark === undefined) return undefined;
    marks.push(read.mark);
  }
  return marks;
}

/** Undefined if the server does not report how far the folder's messages are numbered. */
export function markOf(path: string, folder: OpenFolder): MarkedFolder | undefined {
  const { uidValidity, mailbox } = folder;
  const uidNext = reportedUidNext(folder);
  return uidNext === undefined ? undefined : { path, uidValidity, uidNext, total: mailbox.exists };
}

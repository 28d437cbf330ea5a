import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { hasThreadIds, listWithStatus } from './folders.ts';
import type { MissingParts } from './missing-parts.ts';
import { onConnection, reportedUidNext } from './session.ts';

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
    async (folder, { path }) => ({
      path,
      uidValidity: folder.uidValidity,
      uidNext: reportedUidNext(folder),
      total: folder.mailbox.exists,
    }),
    missing,
  );
  for (const mark of opened) {
    if (mark === undefined) continue;
    const { uidNext } = mark;
    if (uidNext === undefined) return undefined;
    marks.push({ ...mark, uidNext });
  }
  return marks;
}

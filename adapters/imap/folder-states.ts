import type { StatusObject } from 'imapflow';
import type { FolderState, FolderUids } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { noFolder } from './failure.ts';
import { type FolderList, listWithStatus } from './folders.ts';
import { type OpenFolder, onConnection } from './session.ts';
import { searchUids } from './uid-search.ts';

/** Asks for the state of each folder that a search without a folder looks through. @returns also the list of folders */
export async function folderStates(
  connections: AccountConnections,
  limit: AbortSignal,
): Promise<{ list: FolderList; states: readonly FolderState[] | undefined }> {
  const query = { messages: true, uidNext: true, uidValidity: true, highestModseq: true };
  const { list, statuses } = await onConnection(connections, limit, (client) =>
    listWithStatus(client, query),
  );
  if (list.scopes.some(({ isLabel }) => isLabel === true)) return { list, states: undefined };
  const states = list.scopes.map(({ path, only }) => {
    const isPart = Object.keys(only).length > 0;
    const status = statuses.get(path) ?? {};
    // What another folder shows may change without a change of this one.
    const state = isPart ? null : stateOf(status);
    const { uidValidity, uidNext = null } = status;
    return { path, isPart, uidValidity: uidValidity?.toString() ?? null, uidNext, state };
  });
  return { list, states };
}

/** Null if the server does not number its changes (RFC 7162): a message that is marked as \Deleted would change nothing. */
function stateOf({ uidNext, messages, highestModseq }: Partial<StatusObject>): string | null {
  if (uidNext === undefined || messages === undefined || !highestModseq) return null;
  // Not every server numbers an EXPUNGE.
  return `${uidNext} ${messages} ${highestModseq}`;
}

/** @throws MailError `not_found` if a search without a folder does not look through this one */
export async function uidsIn(
  folder: OpenFolder,
  { scopes }: FolderList,
  { path, unread }: { readonly path: string; readonly unread: boolean },
): Promise<FolderUids> {
  const scope = scopes.find((one) => one.path === path);
  if (scope === undefined) throw noFolder();
  const { client, mailbox, uidValidity } = folder;
  if (mailbox.exists === 0) return { uidValidity, uids: [] };
  const uids = await searchUids(client, { all: true, ...scope.only, ...(unread && { seen: false }) });
  return { uidValidity, uids };
}

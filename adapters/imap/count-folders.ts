import type { StatusObject } from 'imapflow';
import type { FolderCounts, RefusedFolder } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import { type FolderList, listWithStatus } from './folders.ts';
import { missingParts } from './missing-parts.ts';
import { type OpenFolder, onConnection } from './session.ts';
import { countShown } from './uid-search.ts';

type Counts = Pick<FolderCounts, 'total' | 'unread'>;

/** The counts of a folder, and the state that it had then. They hold until the state changes. */
export interface CountedFolder extends Counts {
  readonly path: string;
  readonly state: string;
}

/** How many folders are opened to count what their STATUS cannot tell. The list begins with INBOX and those of a role. */
const OPENED_MAX = 8;

/**
 * Counts the messages of each folder, without those that are marked as \Deleted. STATUS counts these, too: only
 * IMAP4rev2 says how many there are (RFC 9051, 6.3.11), and never how many of them are unread. So a folder is opened and
 * searched, which takes two commands, or three if something is marked (and two more on a connection that has not opened it
 * before, because imapflow lists it). To keep this cheap,
 * - it is not opened if STATUS says enough: it is empty, or nothing is marked in it;
 * - it is not opened again until it changes, if the server numbers its changes (CONDSTORE);
 * - at most OPENED_MAX folders are opened: about a second for a server that takes 0.1 s for a command. The numbers of the
 *   others are those of STATUS; with CONDSTORE, the next call opens more of them.
 * A folder without a STATUS is always opened.
 * @param known  what was counted before
 * @returns also what to pass as `known` next time
 */
export async function countFolders(
  connections: AccountConnections,
  known: readonly CountedFolder[],
  limit: AbortSignal,
): Promise<{
  counts: readonly (FolderCounts | RefusedFolder)[];
  list: FolderList;
  counted: readonly CountedFolder[];
}> {
  const query = { messages: true, unseen: true, deleted: true, uidValidity: true, highestModseq: true };
  const { list, statuses } = await onConnection(connections, limit, (client) =>
    listWithStatus(client, query),
  );
  const before = new Map(known.map((folder) => [folder.path, folder]));
  const counts = new Map<string, Counts>();
  const counted: CountedFolder[] = [];
  const unknown: { readonly path: string; readonly status: Status }[] = [];
  const inexact: typeof unknown = [];
  for (const { path } of list.folders) {
    const status = statuses.get(path) ?? {};
    const last = before.get(path);
    const reported = reportedBy(status);
    if (last !== undefined && last.state === stateOf(status)) {
      counts.set(path, last);
      counted.push(last);
    } else if (reported === undefined) unknown.push({ path, status });
    else {
      counts.set(path, reported);
      if (!isExact(status)) inexact.push({ path, status });
    }
  }
  const missing = missingParts();
  const opened = [...unknown, ...inexact.slice(0, OPENED_MAX)];
  await inEachFolder(
    connections,
    opened,
    limit,
    async (folder, { path, status }) => {
      const exact = await countIn(folder, status);
      counts.set(path, exact);
      const state = stateOf(status);
      // Otherwise the folder has changed since its STATUS.
      if (state !== undefined && folder.mailbox.exists === status.messages)
        counted.push({ path, state, ...exact });
    },
    missing,
  );
  if (counts.size === 0) missing.throwIfNothingElse(list.folders.length);
  const refused = new Set(missing.all().map(({ path }) => path));
  const each = list.folders.flatMap((folder): readonly (FolderCounts | RefusedFolder)[] => {
    const { path } = folder;
    const one = counts.get(path);
    if (one !== undefined) return [{ ...folder, total: one.total, unread: one.unread }];
    // Otherwise the folder was deleted since it was listed.
    return refused.has(path) ? [{ ...folder, refused: true }] : [];
  });
  return { counts: each, list, counted };
}

type Status = Partial<StatusObject>;

/** The counts by STATUS alone. Undefined if it does not report them. */
function reportedBy({ messages, unseen, deleted = 0 }: Status): Counts | undefined {
  if (messages === undefined || unseen === undefined) return undefined;
  const total = Math.max(0, messages - deleted);
  return { total, unread: Math.min(unseen, total) };
}

/** Whether what is marked as \Deleted cannot make a difference to those counts. */
function isExact({ messages, unseen, deleted }: Status): boolean {
  return messages === 0 || deleted === 0 || (deleted !== undefined && unseen === 0) || deleted === messages;
}

/** Changes with every message and flag (RFC 7162, 3.1). Undefined if the server does not number its changes. */
function stateOf({ uidValidity, highestModseq, messages }: Status): string | undefined {
  if (uidValidity === undefined || !highestModseq) return undefined;
  // Not every server numbers an EXPUNGE.
  return `${uidValidity} ${highestModseq} ${messages}`;
}

async function countIn({ client, mailbox }: OpenFolder, { messages, unseen }: Status): Promise<Counts> {
  const total = mailbox.exists === 0 ? 0 : await countShown(client, { all: true });
  if (total === 0) return { total, unread: 0 };
  const isSame = unseen !== undefined && messages === total;
  return { total, unread: isSame ? unseen : await countShown(client, { seen: false }) };
}

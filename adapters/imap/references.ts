import type { SearchObject } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { type LinkedRow, linkedRows } from './linked-rows.ts';
import type { OpenFolder } from './session.ts';

/** Ids that are looked for at all; with more, the conversation is one that somebody made to be endless. */
const MOST_IDS = THREAD_MAX;
/** How often one folder is looked through: more than once only where answers do not name the whole conversation. */
const MOST_LOOKS = 50;
/** How much earlier than what it answers an answer may have been received, by clocks and imports. */
const EARLY_MS = 30 * 24 * 60 * 60 * 1000;

/** What is known of a conversation while it is looked for. */
interface Conversation {
  readonly rows: ListedMessage[];
  /** Ids of its messages, found or only named. */
  readonly ids: Set<string>;
  /** Ids of those that were found. */
  readonly there: Set<string>;
  oldestMs: number;
}

/** How far one folder has been looked through. */
interface Progress {
  /** Of what was found. */
  readonly uids: Set<number>;
  /** That were looked for. */
  readonly ids: Set<string>;
  looksLeft: number;
}

/** Messages that are named by one of the conversation, or name one of it; over and over, until there are no more. */
export async function byReferences(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  begun: LinkedRow,
  limit: AbortSignal,
): Promise<ListedMessage[]> {
  const { row, messageId, refersTo } = begun;
  // Nearly every message names the first one: with it most are found, and need not be looked for by their own ids.
  const first = [messageId, refersTo[0], refersTo.at(-1)].filter((id) => id != null);
  const conversation: Conversation = {
    rows: [],
    ids: new Set(first),
    there: new Set(),
    oldestMs: row.internalDate.getTime(),
  };
  const folders = scopes.map((scope) => ({ ...scope, progress: nothingYet() }));
  const lookInto = async (some: typeof folders, sinceMs: number | undefined) => {
    const looked = await inEachFolder(connections, some, limit, async (folder, { only, progress }) => {
      let ids = sinceMs === undefined ? first : unlooked(conversation, progress);
      while (ids.length > 0) {
        await look(folder, only, conversation, progress, ids, sinceMs);
        ids = sinceMs === undefined ? [] : unlooked(conversation, progress);
      }
      return true;
    });
    // One that is gone is not looked into again.
    for (const [index, { progress }] of some.entries()) {
      if (looked[index] === undefined) progress.looksLeft = 0;
    }
  };

  await lookInto(folders, undefined);
  addIds(conversation, refersTo);
  const unfinished = () => folders.filter(({ progress }) => unlooked(conversation, progress).length > 0);
  for (let left = unfinished(); left.length > 0; left = unfinished()) {
    await lookInto(left, conversation.oldestMs - EARLY_MS);
  }
  return conversation.rows;
}

function nothingYet(): Progress {
  return { uids: new Set(), ids: new Set(), looksLeft: MOST_LOOKS };
}

function unlooked({ ids }: Conversation, progress: Progress): string[] {
  return progress.looksLeft === 0 ? [] : [...ids].filter((id) => !progress.ids.has(id));
}

function addIds({ ids }: Conversation, more: readonly string[]): void {
  for (const id of more) if (ids.size < MOST_IDS) ids.add(id);
}

/** Adds to the conversation what the folder has of it. @param sinceMs answers are looked for from that day on */
async function look(
  folder: OpenFolder,
  only: SearchObject,
  conversation: Conversation,
  progress: Progress,
  ids: readonly string[],
  sinceMs: number | undefined,
): Promise<void> {
  progress.looksLeft = folder.mailbox.exists === 0 ? 0 : progress.looksLeft - 1;
  for (const id of ids) progress.ids.add(id);
  const named = ids.flatMap(namesId);
  const missing = ids.filter((id) => !conversation.there.has(id)).map(isId);
  const searches =
    sinceMs === undefined
      ? inLines([...missing, ...named])
      : [...inLines(missing), ...inLines(named, { since: new Date(sinceMs) })];
  for (const search of searches) {
    for (const linked of await linkedRows(folder, { ...only, ...search }, progress.uids)) {
      // A header is searched for by a part of it: the whole ids decide.
      if (!idsOf(linked).some((id) => conversation.ids.has(id))) continue;
      const { row, messageId } = linked;
      progress.uids.add(row.place.uid);
      conversation.rows.push(row);
      conversation.oldestMs = Math.min(conversation.oldestMs, row.internalDate.getTime());
      if (messageId !== null) conversation.there.add(messageId);
      addIds(conversation, idsOf(linked));
    }
  }
}

function isId(id: string): SearchObject {
  return { header: { 'message-id': id } };
}

function namesId(id: string): SearchObject[] {
  return [{ header: { references: id } }, { header: { 'in-reply-to': id } }];
}

/** A command stays below the 8000 bytes that every server takes. */
const LINE_CHARS = 6_000;

/** One or the other has to match, and `always`: in as few commands as they fit into. */
function inLines(either: readonly SearchObject[], always: SearchObject = {}): SearchObject[] {
  const lines: SearchObject[][] = [];
  let left = 0;
  for (const search of either) {
    const chars = JSON.stringify(search).length;
    if (left < chars) {
      lines.push([]);
      left = LINE_CHARS;
    }
    lines.at(-1)?.push(search);
    left -= chars;
  }
  return lines.map((or) => ({ ...always, or }));
}

function idsOf({ messageId, refersTo }: LinkedRow): string[] {
  return messageId === null ? [...refersTo] : [messageId, ...refersTo];
}

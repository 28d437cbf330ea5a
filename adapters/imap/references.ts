import type { SearchObject } from 'imapflow';
import { idsIn } from '../../core/mail/linked-ids.ts';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { THREAD_MAX } from '../../core/ports/mail-reading.ts';
import type { AccountConnections } from './account-connections.ts';
import { inEachFolder } from './each-folder.ts';
import type { SearchScope } from './folders.ts';
import { type LinkedRow, linkedRows, searchesFor } from './linked-rows.ts';
import type { MissingParts } from './missing-parts.ts';
import type { OpenFolder } from './session.ts';

/** The most ids to search for. A conversation with more was made to be endless. */
const MOST_IDS = THREAD_MAX;
/**
 * The most searches per folder. More than one is needed only if answers do not name the whole conversation.
 */
const MOST_LOOKS = 50;
/**
 * How much earlier than the answered message an answer may have been received, because of clocks and imports.
 */
const EARLY_MS = 30 * 24 * 60 * 60 * 1000;

/** The known part of a conversation during the search. */
interface Conversation {
  readonly rows: ListedMessage[];
  /** Ids of its messages, found or only named. */
  readonly ids: Set<string>;
  /** Ids of the messages found. */
  readonly there: Set<string>;
  oldestMs: number;
}

/** The progress of the search in one folder. */
interface Progress {
  /** Of the messages found. */
  readonly uids: Set<number>;
  /** Already searched for. */
  readonly ids: Set<string>;
  looksLeft: number;
}

/**
 * Finds messages that name a message of the conversation, or are named by one, until there are no more.
 * @param missing  collects the folders that cannot be read
 */
export async function byReferences(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  begun: LinkedRow,
  limit: AbortSignal,
  missing: MissingParts,
): Promise<ListedMessage[]> {
  const { row, messageId, refersTo } = begun;
  // Nearly every message names the first one. Searching for it finds most, without a search for their own
  // ids.
  const first = [messageId, refersTo[0], refersTo.at(-1)].filter((id) => id != null);
  const conversation: Conversation = {
    rows: [],
    ids: new Set(first),
    there: new Set(),
    oldestMs: row.internalDate.getTime(),
  };
  const folders = scopes.map((scope) => ({ ...scope, progress: nothingYet() }));
  const lookInto = async (some: typeof folders, sinceMs: number | undefined) => {
    const lookFor = async (folder: OpenFolder, { only, progress }: (typeof folders)[number]) => {
      let ids = sinceMs === undefined ? first : unlooked(conversation, progress);
      while (ids.length > 0) {
        await look(folder, only, conversation, progress, ids, sinceMs);
        ids = sinceMs === undefined ? [] : unlooked(conversation, progress);
      }
      return true;
    };
    const looked = await inEachFolder(connections, some, limit, lookFor, missing);
    // A missing folder is not searched again.
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

/** Adds the folder's messages of the conversation. @param sinceMs  answers are searched from that day on */
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
  const isThere = (id: string) => conversation.there.has(id);
  const has = (id: string) => searchesFor(id).has;
  const missing = ids.filter((id) => !isThere(id)).flatMap(has);
  // Another message may have the id of one that is there.
  const others = [...ids.filter(isThere).flatMap(has), ...ids.flatMap((id) => searchesFor(id).names)];
  const searches =
    sinceMs === undefined
      ? inLines([...missing, ...others])
      : [...inLines(missing), ...inLines(others, { since: new Date(sinceMs) })];
  for (const search of searches) {
    for (const linked of await linkedRows(folder, { ...only, ...search }, progress.uids)) {
      // A header search matches parts: the whole ids decide.
      if (!idsIn(linked).some((id) => conversation.ids.has(id))) continue;
      const { row, messageId } = linked;
      progress.uids.add(row.place.uid);
      conversation.rows.push(row);
      conversation.oldestMs = Math.min(conversation.oldestMs, row.internalDate.getTime());
      if (messageId !== null) conversation.there.add(messageId);
      addIds(conversation, idsIn(linked));
    }
  }
}

/** A command stays below the 8000 bytes that every server accepts. */
const LINE_CHARS = 6_000;

/** Builds as few commands as possible that match any of `either`, and `always`. */
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

import { readingOf, readWithin } from '../accounts/read-message.ts';
import { headerBlock } from '../mail/header-fields.ts';
import { linkedIds } from '../mail/linked-ids.ts';
import { messageRow } from '../mail/message-row.ts';
import type { MessageSource } from '../mail/message-source.ts';
import type { Clock } from '../ports/clock.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { IndexedFolder, IndexedMessage, IndexedText, MailIndex } from '../ports/mail-index.ts';
import type { FolderState, MailReading, MessageText } from '../ports/mail-reading.ts';
import type { Reader } from '../ports/reader.ts';

/** What an index takes to follow a mailbox. */
export interface FollowParts {
  readonly mail: Pick<MailReading, 'readTexts' | 'states' | 'uids'>;
  readonly index: Pick<MailIndex, 'folders' | 'forgetFolder' | 'save' | 'uids'>;
  readonly reader: Reader;
  readonly clock: Clock;
}

export type Followed =
  | CurrentMailbox
  /** There is more to index than was allowed, or the mailbox changed meanwhile. */
  | { readonly kind: 'behind' }
  /** No index can follow this mailbox. */
  | { readonly kind: 'impossible' };

/** The index contains what the mailbox did when this began, except for `refused`. */
export interface CurrentMailbox {
  readonly kind: 'current';
  readonly folders: readonly (FolderState & { readonly uidValidity: string })[];
  /** The paths of folders that the server refuses for good. */
  readonly refused: readonly string[];
}

/** How much may still be indexed, of all folders together. Goes down with what is indexed. */
export interface FollowLimit {
  /** Nothing of a folder with more new messages is indexed. */
  messages: number;
  /** Fetched from the server. The batch with the last of them is indexed, too. */
  bytes: number;
  readonly untilMs: number;
}

/** Messages that are fetched, read and saved at once: a search waits for no more than that. */
const BATCH = 16;
/** A longer text is not indexed. No letter is that long. */
const TEXT_CHARS_MAX = 2_000_000;

/**
 * Brings the index up to date with a mailbox. What is there is compared with what is indexed, so it does not matter where an
 * earlier run was interrupted.
 * @throws MailError as the mailbox does; Error if the index fails
 */
export async function followMailbox(
  parts: FollowParts,
  call: MailCall,
  limit: FollowLimit,
): Promise<Followed> {
  const { mail, index } = parts;
  const states = await mail.states(call);
  if (states === undefined) return { kind: 'impossible' };
  const indexed = new Map((await index.folders(call.account)).map((folder) => [folder.path, folder]));
  const there = new Set(states.map(({ path }) => path));
  for (const path of indexed.keys()) if (!there.has(path)) await index.forgetFolder(call.account, path);
  const folders: (FolderState & { uidValidity: string })[] = [];
  const refused: string[] = [];
  for (const state of states) {
    const followed = await followFolder(parts, call, state, indexed.get(state.path), limit);
    if (followed === 'behind') return { kind: 'behind' };
    if (followed === 'refused') refused.push(state.path);
    else if (followed !== 'gone') folders.push({ ...state, uidValidity: followed.uidValidity });
  }
  return { kind: 'current', folders, refused };
}

type FollowedFolder = 'behind' | 'refused' | 'gone' | { readonly uidValidity: string };

async function followFolder(
  parts: FollowParts,
  call: MailCall,
  { path, uidValidity, uidNext, state }: FolderState,
  before: IndexedFolder | undefined,
  limit: FollowLimit,
): Promise<FollowedFolder> {
  const { mail, index } = parts;
  const { account } = call;
  // A folder that was restored from a backup gives UIDs once more, to other messages.
  const isRestored = isBefore(uidNext, before?.uidNext);
  if (isRestored) await index.forgetFolder(account, path);
  const indexed = isRestored ? undefined : before;
  const isSame = indexed !== undefined && indexed.uidValidity === uidValidity;
  if (isSame && state !== null && indexed.state === state) return { uidValidity: indexed.uidValidity };
  const listed = await listedUids(mail, call, path);
  if (typeof listed === 'string') {
    await index.forgetFolder(account, path);
    return listed;
  }
  // The server shows an older view of a folder that was created anew.
  if (uidValidity !== null && listed.uidValidity !== uidValidity) return 'behind';
  const isReplaced = indexed !== undefined && indexed.uidValidity !== listed.uidValidity;
  if (isReplaced) await index.forgetFolder(account, path);
  const known = isReplaced ? [] : await index.uids(account, path);
  const added = without(listed.uids, known);
  const change = { path, uidValidity: listed.uidValidity, uidNext, state: null, add: [], remove: [] };
  if (added.length > limit.messages) {
    // What is indexed of it so far is not all of it.
    if (indexed?.state !== null) await index.save(account, change);
    return 'behind';
  }
  let missing = 0;
  // The newest first.
  for (let end = added.length; end > 0; end -= BATCH) {
    const isOver = limit.bytes <= 0 || parts.clock.now().getTime() > limit.untilMs;
    if (isOver || call.signal.aborted) return 'behind';
    const uids = added.slice(Math.max(0, end - BATCH), end);
    const places = uids.map((uid) => ({ path, uidValidity: listed.uidValidity, uid }));
    const messages = (await mail.readTexts(call, places)).filter((message) => message !== undefined);
    for (const { source } of messages) limit.bytes -= bytesOf(source);
    const add = await indexedMessages(parts, call, messages);
    missing += uids.length - add.length;
    limit.messages -= add.length;
    await index.save(account, { ...change, add });
  }
  const remove = without(known, listed.uids);
  const nextState = missing === 0 ? state : null;
  const isAlike = isSame && nextState === indexed.state && added.length === 0 && remove.length === 0;
  if (isAlike) return { uidValidity: listed.uidValidity };
  // A message that has gone meanwhile is asked for again.
  await index.save(account, { ...change, remove, state: nextState });
  return { uidValidity: listed.uidValidity };
}

function isBefore(uidNext: number | null, before: number | null | undefined): boolean {
  return typeof before === 'number' && uidNext !== null && uidNext < before;
}

async function listedUids(
  mail: Pick<MailReading, 'uids'>,
  call: MailCall,
  path: string,
): Promise<Awaited<ReturnType<MailReading['uids']>> | 'refused' | 'gone'> {
  try {
    return await mail.uids(call, { path, unread: false });
  } catch (error) {
    if (error instanceof MailError && error.code === 'not_found') return 'gone';
    if (error instanceof MailError && error.code === 'refused') return 'refused';
    throw error;
  }
}

function bytesOf(source: MessageSource): number {
  const texts = source.kind === 'whole' ? [source.bytes] : source.texts;
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Both are in ascending order. */
function without(uids: readonly number[], others: readonly number[]): number[] {
  const left = new Set(others);
  return uids.filter((uid) => !left.has(uid));
}

async function indexedMessages(
  parts: FollowParts,
  call: MailCall,
  messages: readonly MessageText[],
): Promise<IndexedMessage[]> {
  const indexed: IndexedMessage[] = [];
  for (const message of messages) {
    const { place, internalDate } = message.row;
    indexed.push({
      uid: place.uid,
      receivedMs: internalDate.getTime(),
      text: await textOf(parts, call, message),
      linkedIds: linksOf(message),
    });
  }
  return indexed;
}

/** @throws ServiceError if the time of the call ends first */
async function textOf(
  parts: FollowParts,
  call: MailCall,
  { row, source }: MessageText,
): Promise<IndexedText> {
  const { from: sender, subject } = messageRow(row);
  const unread = { sender, head: `${sender}\n${subject}`, body: '', isWhole: false };
  if (row.undeliverable === true) return unread;
  const reading = await readWithin(parts, readingOf(call), 'searchable', source);
  if (reading.kind === 'unreadable' || reading.value.body.length > TEXT_CHARS_MAX) return unread;
  return { sender, ...reading.value, isWhole: source.kind === 'whole' || !source.isCut };
}

function linksOf({ row, source, isThreaded }: MessageText): readonly string[] | null {
  if (row.undeliverable === true || isThreaded === true) return null;
  const message = source.kind === 'whole' ? source.bytes : source.texts[0];
  return message === undefined ? null : linkedIds(headerBlock(message));
}

import type { MailFolder } from '../../core/folders/folder.ts';
import { headerBlock } from '../../core/mail/header-fields.ts';
import { linkedIds } from '../../core/mail/linked-ids.ts';
import type { MailFlag } from '../../core/mail/listed-message.ts';
import { parseHeaders, type ReadHeaders } from '../../core/mail/message-headers.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { ListPosition, ListQuery } from '../../core/ports/mail-reading.ts';

/** The state of one mailbox, in memory. Changes are synchronous, so that nothing comes between. */

export type Mailbox = Map<string, Folder>;

interface Folder {
  readonly specialUse: MailFolder['specialUse'];
  nextUid: number;
  /** By UID, oldest first. */
  readonly messages: StoredMessage[];
  /** Called after a message was added. */
  readonly watchers: Set<() => void>;
}

/** A message that is not in a folder yet. */
export interface Letter {
  readonly raw: Uint8Array;
  /** The start of `raw`, up to the empty line. */
  readonly header: Uint8Array;
  readonly headers: ReadHeaders;
  readonly linkedIds: readonly string[];
  readonly receivedAt: Date;
}

export interface StoredMessage extends Letter {
  readonly uid: number;
  readonly flags: Set<MailFlag>;
  readonly keywords: Set<string>;
}

/** The folders of a new mailbox, with the special uses that the sandbox reports. */
const FOLDERS: readonly (readonly [path: string, specialUse: MailFolder['specialUse']])[] = [
  ['INBOX', null],
  ['Sent', 'sent'],
  ['Drafts', 'drafts'],
  ['Spam', 'spam'],
  ['Trash', 'trash'],
  ['Archive', 'archive'],
  ['Projects/Atlas', null],
];

export function emptyMailbox(): Mailbox {
  return new Map(FOLDERS.map(([path, specialUse]) => [path, emptyFolder(specialUse)]));
}

function emptyFolder(specialUse: MailFolder['specialUse']): Folder {
  return { specialUse, nextUid: 1, messages: [], watchers: new Set() };
}

export function foldersOf(mailbox: Mailbox): readonly MailFolder[] {
  return [...mailbox].map(([path, { specialUse }]) => ({ path, delimiter: '/', specialUse }));
}

/** Does nothing if there is already a folder with that path. */
export function addFolder(mailbox: Mailbox, path: string): void {
  if (!mailbox.has(path)) mailbox.set(path, emptyFolder(null));
}

/** @param receivedAt  INTERNALDATE, stored to the second as in IMAP */
export function readLetter(raw: Uint8Array, receivedAt: Date): Letter {
  const wholeS = Math.floor(receivedAt.getTime() / 1000);
  const header = headerBlock(raw);
  return {
    ...{ raw, header, headers: parseHeaders(raw), linkedIds: linkedIds(header) },
    receivedAt: new Date(wholeS * 1000),
  };
}

/** @throws MailError `not_found` if there is no such folder */
export function folderOf(mailbox: Mailbox, path: string): Folder {
  const found = mailbox.get(path);
  if (found === undefined) throw new MailError('not_found', 'There is no such folder.');
  return found;
}

/** @throws MailError `not_found` if there is no such folder */
export function put(mailbox: Mailbox, path: string, letter: Letter, flags: readonly MailFlag[]): void {
  add(folderOf(mailbox, path), { ...letter, flags: new Set(flags), keywords: new Set() });
}

function add(folder: Folder, message: Omit<StoredMessage, 'uid'>): void {
  folder.messages.push({ ...message, uid: folder.nextUid });
  folder.nextUid += 1;
  for (const announce of folder.watchers) announce();
}

/** @throws MailError `not_found` if the message or the folder does not exist */
export function moveTo(mailbox: Mailbox, path: string, uid: number, to: string): void {
  const message = messageOf(mailbox, path, uid);
  const target = folderOf(mailbox, to);
  const { messages } = folderOf(mailbox, path);
  messages.splice(messages.indexOf(message), 1);
  add(target, message);
}

/** @throws MailError `not_found` if there is no such folder, or no such message in it */
export function messageOf(mailbox: Mailbox, path: string, uid: number): StoredMessage {
  const found = folderOf(mailbox, path).messages.find((message) => message.uid === uid);
  if (found === undefined) throw new MailError('not_found', 'There is no such message.');
  return found;
}

export function setFlagOf(message: StoredMessage, flag: MailFlag, on: boolean): void {
  if (on) message.flags.add(flag);
  else message.flags.delete(flag);
}

export function isUnread(message: StoredMessage): boolean {
  return !message.flags.has('seen');
}

type Position = Pick<ListPosition, 'uid' | 'internalDateMs'>;

/** Lists the messages after `after` in the requested order. `total` includes those before it. */
export function listed(
  messages: readonly StoredMessage[],
  { unread, order, after }: ListQuery,
): { behind: StoredMessage[]; total: number } {
  const compare = (a: Position, b: Position) =>
    order === 'uid' ? b.uid - a.uid : b.internalDateMs - a.internalDateMs || b.uid - a.uid;
  const wanted = messages.filter((message) => !unread || isUnread(message));
  const behind = wanted.filter((message) => after === undefined || compare(after, positionOf(message)) < 0);
  return { behind: behind.sort((a, b) => compare(positionOf(a), positionOf(b))), total: wanted.length };
}

function positionOf({ uid, receivedAt }: StoredMessage): Position {
  return { uid, internalDateMs: receivedAt.getTime() };
}

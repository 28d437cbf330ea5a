import { createHash } from 'node:crypto';
import type { MailFolder } from '../folders/folder.ts';
import type { ListedMessage, MessagePlace } from '../mail/listed-message.ts';
import type { AttachmentSource, MessageSource } from '../mail/message-source.ts';
import { DELIVERY_FIELDS } from '../mail/sent-copy.ts';
import type { MailCall } from './mail.ts';

/**
 * Reading a mailbox. An adapter returns places, dates and bytes as its server stores them; core reads the bytes. So
 * the protection of the reader (hidden text, wrong charsets, false senders) does not depend on the adapter.
 *
 * A message that is marked as deleted (IMAP's \Deleted) is gone: no method returns or counts it, except that `counts` may
 * count it where the server does not tell it apart, and to open every folder would take too long. INBOX is always exact.
 */
export interface MailReading {
  /**
   * All folders that can be opened, with what the server reports about them. The inbox is named INBOX (RFC 9051,
   * 5.1). The list is at most a minute old; with `fresh`, it is current.
   */
  folders(call: MailCall, options?: { fresh?: boolean }): Promise<readonly MailFolder[]>;

  /**
   * Messages of one folder in the order of the query, starting after `after`.
   * `rows` contains at most `limit`; `more` tells whether others follow.
   * @throws MailError `not_found` if there is no such folder
   */
  list(call: MailCall, query: ListQuery): Promise<MessagePage>;

  /**
   * The listed form of one message, with the header fields in RECEIPT_FIELDS. Undefined if the place has no message, or if
   * its uidValidity has changed.
   */
  row(call: MailCall, place: MessagePlace): Promise<ListedMessage | undefined>;

  /**
   * One message. Its bytes are never changed afterwards; an adapter that keeps them returns the same object again, and core
   * does not read it a second time.
   * @throws MailError `not_found` if the place has no message, or if its uidValidity has changed
   */
  read(call: MailCall, place: MessagePlace): Promise<RawMessage>;

  /**
   * Several messages of one account, in the order of `places`; undefined for a place without a message. One round
   * trip per folder if the server allows it. All of them are in memory at once, so the caller limits their number.
   */
  readAll(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (RawMessage | undefined)[]>;

  /**
   * What core needs to extract one attachment: the message, or that part of a message in parts.
   * Undefined if a message in parts has no attachment with that index.
   * @param maxBytes a part that is larger when decoded is `tooLarge` and is not fetched
   * @throws MailError `not_found` if the place has no message
   */
  attachment(
    call: MailCall,
    place: MessagePlace,
    index: number,
    maxBytes: number,
  ): Promise<AttachmentSource | undefined>;

  /** Message counts of each folder, in the order of `folders`. */
  counts(call: MailCall): Promise<readonly (FolderCounts | RefusedFolder)[]>;

  /**
   * The same for an index: an adapter may leave out attachments, and keeps nothing of it. If it leaves out something that a
   * person would read, the source is in parts and `isCut`.
   */
  readTexts(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (MessageText | undefined)[]>;

  /** The listed forms of several messages of one account, in the order of `places`; undefined for a place without a message. */
  rows(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (ListedMessage | undefined)[]>;

  /**
   * The folders that together have every message of the account, each once, and the state of each, in as few round trips as
   * the server allows. Undefined if the server has no such folders: Gmail without All Mail.
   */
  states(call: MailCall): Promise<readonly FolderState[] | undefined>;

  /**
   * The messages that a folder of `states` stands for.
   * @throws MailError `not_found` if there is no such folder; `refused` if it may not be read
   */
  uids(call: MailCall, query: { readonly path: string; readonly unread: boolean }): Promise<FolderUids>;

  /**
   * Every place in the account that may have the message: messages with this stable id if the server has stable ids,
   * otherwise messages with this INTERNALDATE (to the second) and size. Core decides which of them it is.
   */
  find(
    call: MailCall,
    wanted: { stableId: string | null; internalDate: Date; sizeBytes: number },
  ): Promise<readonly ListedMessage[]>;

  /**
   * Messages of every folder, or of one, that match. Newest INTERNALDATE first, then by `folderKey`, then newest UID.
   * A message that the server itself shows in several folders (Gmail's labels) is one row.
   * A folder that the server refuses for good is in `missing`, unless the query names it.
   * @throws MailError if any other folder cannot be searched: a search never leaves out results silently
   */
  search(call: MailCall, query: SearchQuery): Promise<MessagePage>;

  /**
   * The conversation of the message at `place`, across all folders, in any order. Uses the server's own thread id if
   * it has one, otherwise Message-ID, References and In-Reply-To. A message may appear once for each folder that
   * contains it. Core shows each message once, and the newest THREAD_MAX: older ones of a folder may be left out.
   * Rows alone: nothing is missing.
   * @throws MailError `not_found` if the place has no message
   */
  thread(call: MailCall, place: MessagePlace): Promise<readonly ListedMessage[] | Conversation>;

  /**
   * Headers of messages in the folder at `path` whose sender is the account's own address and whose recipients
   * include one of `addresses` (normalised): the newest SENT_COPIES_MAX per address. Some stand for several: `isSentTo`
   * says which. Returns the whole header, or the fields in SENT_COPY_FIELDS. Core decides to whom they prove that the owner
   * wrote. Empty if there is no such folder.
   */
  sentCopies(call: MailCall, path: string, addresses: readonly string[]): Promise<readonly Uint8Array[]>;

  /**
   * The message with this Message-ID in the folder at `path`. If there are several, the one with the lowest UID. An adapter
   * may also find one that Countersign wrote and whose Message-ID the server has replaced: its X-Countersign-Request is
   * the part of the id before the `@`. Undefined if there is none, or no such folder.
   */
  messageWithId(call: MailCall, path: string, messageId: string): Promise<ListedMessage | undefined>;
}

export interface FolderState {
  readonly path: string;
  /** It does not stand for all messages of the folder: another folder shows the rest. */
  readonly isPart: boolean;
  /** Null: the server does not tell, as for a folder that it refuses. */
  readonly uidValidity: string | null;
  /** UIDNEXT. Null: the server does not tell. */
  readonly uidNext: number | null;
  /** With one uidValidity, two equal states have the same messages. Null: the server does not tell. */
  readonly state: string | null;
}

export interface FolderUids {
  readonly uidValidity: string;
  /** In ascending order. */
  readonly uids: readonly number[];
}

export interface FolderCounts extends MailFolder {
  readonly unread: number;
  readonly total: number;
}

/** A folder that the server lists, and refuses to open for good. */
export interface RefusedFolder extends MailFolder {
  readonly refused: true;
}

/**
 * What the server refuses for good, while it answers the rest. What fails for a moment is a MailError instead.
 * `path`: of the folder; whoever shares it may have chosen the name
 */
export type MissingMail =
  /** The folder may not be read. */
  | { readonly path: string; readonly reason: 'refused' }
  /** It cannot deliver this many messages of the folder, and nothing tells whether they belong to the answer. */
  | { readonly path: string; readonly reason: 'undeliverable'; readonly messages: number };

export interface Conversation<Row = ListedMessage> {
  readonly rows: readonly Row[];
  readonly missing: readonly MissingMail[];
}

export interface ListQuery {
  readonly path: string;
  readonly unread: boolean;
  /** `uid`: newest UID first. `date`: newest INTERNALDATE first, then newest UID. */
  readonly order: 'uid' | 'date';
  /** Only rows after this position in that order. Undefined: from the newest. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

export interface ListPosition {
  /** The uidValidity that `uid` belongs to. If the folder has a different one, the call is `not_found`. Null: any. */
  readonly uidValidity: string | null;
  readonly uid: number;
  /** Used when ordered by date. */
  readonly internalDateMs: number;
}

export interface SearchQuery {
  /** All of these words must appear in sender, recipient, subject or body. Case-insensitive. */
  readonly words: readonly string[];
  /** The sender's name or address contains it. */
  readonly from: string | undefined;
  /** YYYY-MM-DD: received on that day or later, by INTERNALDATE. */
  readonly since: string | undefined;
  readonly unread: boolean;
  /** Undefined: every folder. */
  readonly path: string | undefined;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
  /** Whether a message contains a word. For an adapter whose server cannot search for one of `words`. */
  contains(source: MessageSource, word: string): Promise<boolean>;
}

export interface SearchPosition {
  readonly internalDateMs: number;
  readonly folderKey: string;
  readonly uid: number;
  /** Who answered the page before: the next one is to have the same idea of what matches. Default: the server. */
  readonly by?: SearchedBy;
}

/** What a search asked: the mail server, or the index beside the mailbox. */
export type SearchedBy = 'server' | 'index';

/** The order of a search's results, for `sort`: newest first, then by folder, then the highest UID first. */
export function compareSearchPositions(a: SearchPosition, b: SearchPosition): number {
  if (a.internalDateMs !== b.internalDateMs) return b.internalDateMs - a.internalDateMs;
  if (a.folderKey !== b.folderKey) return a.folderKey < b.folderKey ? -1 : 1;
  return b.uid - a.uid;
}

/** Returns a short key for a folder path, in hex: the tie-break for messages of one second. Small enough for a cursor. */
export function folderKey(path: string): string {
  return createHash('sha256').update(path, 'utf8').digest('hex').slice(0, 12);
}

/** The most messages of one conversation that are considered. */
export const THREAD_MAX = 500;

export interface MessagePage<Row = ListedMessage> {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** The number of messages in the folder, or of unread ones if only those are requested. Without what is missing. */
  readonly total: number;
  /** Present if there may be more than `total`. */
  readonly isExact?: false;
  /** Of a search. Default: the server. */
  readonly by?: SearchedBy;
  /** Default: nothing. */
  readonly missing?: readonly MissingMail[];
}

/** A message as its server stores it. Its content is unknown until core has read it. */
export interface RawMessage<Row = ListedMessage> {
  readonly row: Row;
  readonly source: MessageSource;
}

/** A message as an index reads it. */
export interface MessageText extends RawMessage {
  /** The server itself knows which messages are its conversation. */
  readonly isThreaded?: true;
}

/** The most copies per address that are considered. */
export const SENT_COPIES_MAX = 20;

/** The header fields that `sentCopies` must return. */
export const SENT_COPY_FIELDS: readonly string[] = [
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'message-id',
  ...DELIVERY_FIELDS,
];

import { createHash } from 'node:crypto';
import type { MailFolder } from '../folders/folder.ts';
import type { ListedMessage, MessagePlace } from '../mail/listed-message.ts';
import type { AttachmentSource, MessageSource } from '../mail/message-source.ts';
import { DELIVERY_FIELDS } from '../mail/sent-copy.ts';
import type { MailCall } from './mail.ts';

/**
 * Reading a mailbox. An adapter hands over places, dates and bytes as its server has them; core reads the bytes. So
 * what a reader is protected from (hidden text, wrong charsets, false senders) does not depend on the adapter.
 */
export interface MailReading {
  /**
   * All folders that can be opened, with what the server says of them. The inbox is named INBOX (RFC 9051, 5.1). May be
   * at most a minute old unless `fresh`.
   */
  folders(call: MailCall, options?: { fresh?: boolean }): Promise<readonly MailFolder[]>;

  /**
   * Messages of one folder in the order of the query, from behind `after` on.
   * `rows` holds at most `limit`; `more` says whether there are others behind them.
   * @throws MailError `not_found` when there is no such folder
   */
  list(call: MailCall, query: ListQuery): Promise<MessagePage>;

  /** The listed form of one message, or undefined when the place holds none (or its uidValidity has changed). */
  row(call: MailCall, place: MessagePlace): Promise<ListedMessage | undefined>;

  /** One message. @throws MailError `not_found` when the place holds no message, or its uidValidity has changed */
  read(call: MailCall, place: MessagePlace): Promise<RawMessage>;

  /**
   * Several messages of one account, in the order of `places`; undefined where a place holds none. One round trip a
   * folder where the server allows it. All of them are in memory at once: the caller bounds how many.
   */
  readAll(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (RawMessage | undefined)[]>;

  /**
   * What core needs to take one attachment out of a message: the message, or that part of a message in parts.
   * Undefined when a message in parts has no attachment of that index.
   * @param maxBytes a part that has more when it is decoded is `tooLarge`, and not fetched
   * @throws MailError `not_found` when the place holds no message
   */
  attachment(
    call: MailCall,
    place: MessagePlace,
    index: number,
    maxBytes: number,
  ): Promise<AttachmentSource | undefined>;

  /** Message counts of each folder, in the order of `folders`. */
  counts(call: MailCall): Promise<readonly FolderCounts[]>;

  /**
   * Every place in the account that may hold the message: those with this stable id where the server has such ids,
   * otherwise those with this INTERNALDATE (to the second) and size. Core judges which of them is the one it means.
   */
  find(
    call: MailCall,
    wanted: { stableId: string | null; internalDate: Date; sizeBytes: number },
  ): Promise<readonly ListedMessage[]>;

  /**
   * Messages of every folder, or of one, that match; newest INTERNALDATE first, then by `folderKey`, then newest UID. A
   * message that the server itself shows in several folders (Gmail's labels) is one row.
   * @throws MailError when any folder cannot be searched: a search is never silently shorter
   */
  search(call: MailCall, query: SearchQuery): Promise<MessagePage>;

  /**
   * The conversation that the message at `place` belongs to, over all folders, in any order. By the server's own thread
   * id where it has one, otherwise by Message-ID, References and In-Reply-To. A message may come once for each folder
   * that holds it. Core shows each once, and the newest THREAD_MAX: older ones of a folder may be left out.
   * @throws MailError `not_found` when the place holds no message
   */
  thread(call: MailCall, place: MessagePlace): Promise<readonly ListedMessage[]>;

  /**
   * The headers of messages in the folder at `path` that name the account's own address as their sender and one of
   * `addresses` (normalised) as a recipient: the newest SENT_COPIES_MAX for each address. All of the header, or the
   * fields in SENT_COPY_FIELDS. Core judges whom they show that the owner wrote to. Empty when there is no such folder.
   */
  sentCopies(call: MailCall, path: string, addresses: readonly string[]): Promise<readonly Uint8Array[]>;

  /** Whether the folder at `path` holds a message with this Message-ID. False when there is no such folder. */
  holdsMessage(call: MailCall, path: string, messageId: string): Promise<boolean>;
}

export interface FolderCounts extends MailFolder {
  readonly unread: number;
  readonly total: number;
}

export interface ListQuery {
  readonly path: string;
  readonly unread: boolean;
  /** `uid`: newest UID first. `date`: newest INTERNALDATE first, then newest UID. */
  readonly order: 'uid' | 'date';
  /** Only rows that come after this position in that order; undefined begins at the newest. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

export interface ListPosition {
  /** The uidValidity that `uid` belongs to; when the folder has another, the call is `not_found`. Null: any. */
  readonly uidValidity: string | null;
  readonly uid: number;
  /** Used when ordered by date. */
  readonly internalDateMs: number;
}

export interface SearchQuery {
  /** Every one of these words appears in sender, recipient, subject or body; without regard to case. */
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
  /** Whether a message contains one of `words`: for an adapter whose server cannot search for it. */
  contains(source: MessageSource, word: string): Promise<boolean>;
}

export interface SearchPosition {
  readonly internalDateMs: number;
  readonly folderKey: string;
  readonly uid: number;
}

/** The order of a search's results, for `sort`: newest first, then by folder, then the highest UID first. */
export function compareSearchPositions(a: SearchPosition, b: SearchPosition): number {
  if (a.internalDateMs !== b.internalDateMs) return b.internalDateMs - a.internalDateMs;
  if (a.folderKey !== b.folderKey) return a.folderKey < b.folderKey ? -1 : 1;
  return b.uid - a.uid;
}

/** A short key of a folder's path, hex: the tie-break among messages of one second, small enough for a cursor. */
export function folderKey(path: string): string {
  return createHash('sha256').update(path, 'utf8').digest('hex').slice(0, 12);
}

/** More messages than this of one conversation are not looked at. */
export const THREAD_MAX = 500;

export interface MessagePage<Row = ListedMessage> {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** Messages in the folder, or unread ones when asked for those. */
  readonly total: number;
}

/** A message as its server hands it over. What it says is not known before core has read it. */
export interface RawMessage<Row = ListedMessage> {
  readonly row: Row;
  readonly source: MessageSource;
}

/** Of each address, at most so many copies are looked at. */
export const SENT_COPIES_MAX = 20;

/** The header fields that `sentCopies` must hand over. */
export const SENT_COPY_FIELDS: readonly string[] = [
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'message-id',
  ...DELIVERY_FIELDS,
];

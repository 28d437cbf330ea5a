import { createHash } from 'node:crypto';

/**
 * What core asks of a mailbox and its sender. One object serves all accounts.
 *
 * Every call takes a MailCall: the account, a signal that ends the work, and a deadline. Every failure is a
 * MailError of the closed set; nothing else leaves an adapter, and a failure is never an empty answer.
 */
export interface Mail {
  /** Connects and signs in, on both servers, and says nothing else: used before an account is saved. */
  verify(call: MailCall): Promise<void>;

  /**
   * All folders that can be opened, with what the server says of them. The inbox is named INBOX (RFC 9051, 5.1). May be
   * at most a minute old unless `fresh`.
   */
  folders(call: MailCall, options?: { fresh?: boolean }): Promise<readonly MailFolder[]>;

  /** Message counts of each folder, in the order of `folders`. */
  counts(call: MailCall): Promise<readonly FolderCounts[]>;

  /**
   * Rows of one folder in the order asked for, from behind `after` on.
   * `rows` holds at most `limit`; `more` says whether there are others behind them.
   * @throws MailError `not_found` when there is no such folder
   */
  list(call: MailCall, query: ListQuery): Promise<MessagePage>;

  /** One message. @throws MailError `not_found` when the place holds no message, or its uidValidity is another */
  read(call: MailCall, place: MessagePlace): Promise<RawMessage>;

  /**
   * Several messages of one account, in the order of `places`; undefined where a place holds none. One round trip a
   * folder where the server allows it. All of them are in memory at once: the caller bounds how many.
   */
  readAll(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (RawMessage | undefined)[]>;

  /** The row of one message, or undefined when the place holds none (or its uidValidity is another). */
  row(call: MailCall, place: MessagePlace): Promise<MessageRow | undefined>;

  /**
   * Every place in the account that may hold the message: those with this stable id where the server has such ids,
   * else those with this INTERNALDATE (to the second) and size. The caller judges which of them is the one it means.
   */
  find(
    call: MailCall,
    wanted: { stableId: string | null; internalDate: Date; sizeBytes: number },
  ): Promise<readonly MessageRow[]>;

  /**
   * Rows of every folder, or of one, that match; newest INTERNALDATE first, then by `folderKey`, then newest UID. A
   * message that lies in several folders by the server's own doing (Gmail's labels) is one row.
   * @throws MailError when any folder cannot be searched: a search is never silently shorter
   */
  search(call: MailCall, query: SearchQuery): Promise<MessagePage>;

  /**
   * The rows of the conversation that the message at `place` belongs to, over all folders, oldest first, each message
   * once; at most THREAD_MAX, the newest of them. By the server's own thread id where it has one, else by
   * Message-ID, References and In-Reply-To.
   * @throws MailError `not_found` when the place holds no message
   */
  thread(call: MailCall, place: MessagePlace): Promise<readonly MessageRow[]>;

  /**
   * What core needs to take one attachment out of a message: the message, or of one in parts that part. Undefined when
   * a message in parts has no attachment of that index.
   * @param maxBytes a part that has more when it is decoded is `tooLarge`, and not fetched
   * @throws MailError `not_found` when the place holds no message
   */
  attachment(
    call: MailCall,
    place: MessagePlace,
    index: number,
    maxBytes: number,
  ): Promise<AttachmentSource | undefined>;

  /**
   * Moves the message at `place` into the folder `to`, after `start`. Where the server cannot move, it is copied and
   * the original removed, and that only where no other message is removed with it (RFC 4315 UID EXPUNGE); else the
   * original stays, marked \Deleted.
   * @throws MailError `not_found` when the message or the folder is not there; `outcome_unknown` when it may have moved
   */
  move(call: MailCall, place: MessagePlace, to: string, start: Start): Promise<void>;

  /**
   * Puts a label on the message, after `start`: an IMAP keyword where the server keeps them, a Gmail label on Gmail,
   * else a copy into the folder of that name, which is created when it is missing.
   * @param label `mayCopyInto` is asked before the copy, with the path that the server knows the folder by
   * @returns how it was done
   * @throws MailError `refused` when `mayCopyInto` says no
   */
  label(
    call: MailCall,
    place: MessagePlace,
    label: { readonly name: string; mayCopyInto(path: string): boolean },
    start: Start,
  ): Promise<'keyword' | 'gmail_label' | 'copy'>;

  /** Creates the folder unless it is there. @returns its path, below the server's prefix if it has one */
  makeFolder(call: MailCall, name: string): Promise<string>;

  /**
   * Messages of the folder at `path` that name the account's own address as their sender and one of `addresses`
   * (normalised) as a recipient: for each of these the newest, SENT_COPIES_MAX at most. Nobody has judged yet whether
   * the owner wrote them. None when there is no such folder.
   */
  sentCopies(call: MailCall, path: string, addresses: readonly string[]): Promise<readonly SentCopy[]>;

  /** The bytes of a message, without its Date header. The same draft gives the same bytes. */
  compose(draft: Draft): Uint8Array;

  /**
   * Hands a message to the server that sends it. `start` is awaited immediately before the first byte that
   * cannot be taken back; when it answers false the attempt ends without that byte and MailError `not_started` is thrown.
   * One refused recipient ends the whole send before its end: nobody gets it.
   * @throws MailError `unavailable` (nothing was sent; may be tried again), `refused`, `auth`,
   *   or `outcome_unknown` when the server may have taken it
   */
  transmit(call: MailCall, message: Outgoing, start: Start): Promise<void>;

  /**
   * Makes sure that the folder at `path` holds the message once: looks for its Message-ID first and appends it only
   * when it is not there (some servers save by themselves). Safe to repeat.
   * @throws MailError `not_found` when there is no such folder
   */
  saveSent(call: MailCall, path: string, message: Outgoing): Promise<void>;

  /** Whether the folder at `path` holds a message with this Message-ID. False when there is no such folder. */
  holdsMessage(call: MailCall, path: string, messageId: string): Promise<boolean>;

  /**
   * Sets or removes a flag on the message at `place`, after `start`. Safe to repeat.
   * @returns whether the server now shows the flag as asked
   * @throws MailError `not_found` when the message there is not `place`'s (another uidValidity, no such uid)
   */
  setFlag(call: MailCall, place: MessagePlace, flag: MailFlag, on: boolean, start: Start): Promise<boolean>;

  /** Ends every connection of the account (it was removed or its settings changed). */
  forget(ownerId: string, accountId: number): Promise<void>;

  /** Ends all connections. */
  close(): Promise<void>;
}

export interface MailCall {
  readonly account: MailAccount;
  readonly signal: AbortSignal;
  /** When the caller stops waiting: milliseconds from the start of this call. */
  readonly deadlineMs: number;
}

export interface MailAccount {
  readonly ownerId: string;
  readonly accountId: number;
  /** The account's own address. */
  readonly email: string;
  /** The settings and password, unsealed when a connection is made and not kept. What it holds is the adapter's. */
  settings(): Promise<unknown>;
}

export type FolderRole = 'inbox' | 'sent' | 'drafts' | 'spam' | 'trash' | 'archive';

export interface MailFolder {
  /** As the server names it, decoded; unique in the account. */
  readonly path: string;
  /** What separates the parts of the path; null where folders cannot lie in folders. */
  readonly delimiter: string | null;
  /** The role that the server itself gives the folder (RFC 6154), never one guessed from its name. */
  readonly specialUse: Exclude<FolderRole, 'inbox'> | null;
}

export interface FolderCounts extends MailFolder {
  readonly unread: number;
  readonly total: number;
}

/** Where a message lies. `uidValidity` is a decimal string: it may exceed 2^53. */
export interface MessagePlace {
  readonly path: string;
  readonly uidValidity: string;
  readonly uid: number;
}

export interface MessageRow {
  readonly place: MessagePlace;
  /** EMAILID or X-GM-MSGID; null where the server has none. */
  readonly stableId: string | null;
  /** SHA-256, hex, of Message-ID, From, Date and Subject as the ENVELOPE gives them, size and INTERNALDATE: what a move leaves as it is. */
  readonly fingerprint: string;
  readonly messageId: string | null;
  /** Display name and address, as a person would read it: `Ada <ada@example.org>`. Empty where there is none. */
  readonly from: string;
  readonly subject: string;
  /** ISO 8601 with the UTC offset of the Date header; INTERNALDATE where that cannot be read. */
  readonly date: string;
  readonly internalDate: Date;
  /** RFC822.SIZE. */
  readonly sizeBytes: number;
  readonly flags: ReadonlySet<MailFlag>;
}

export type MailFlag = 'seen' | 'flagged' | 'answered' | 'forwarded';

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
  /** Whether a message contains one of `words`: asked for messages whose server cannot search for it. */
  contains(message: RawMessage, word: string): Promise<boolean>;
}

export interface SearchPosition {
  readonly internalDateMs: number;
  readonly folderKey: string;
  readonly uid: number;
}

/** A short key of a folder's path, hex: the tie-break among messages of one second, small enough for a cursor. */
export function folderKey(path: string): string {
  return createHash('sha256').update(path, 'utf8').digest('hex').slice(0, 12);
}

/** More messages than this of one conversation are not looked at. */
export const THREAD_MAX = 500;

export interface MessagePage {
  readonly rows: readonly MessageRow[];
  readonly more: boolean;
  /** Messages in the folder, or unread ones when asked for those. */
  readonly total: number;
}

/** A message as its server hands it over. What it says is not known before core has read it. */
export interface RawMessage {
  readonly row: MessageRow;
  readonly source: MessageSource;
}

export type MessageSource =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** A message of more than SOURCE_BYTES, without what is attached to it. */
  | {
      readonly kind: 'parts';
      /** The parts that a person would read, each as a message: its header with that part as the whole body. At least one. */
      readonly texts: readonly Uint8Array[];
      /** Some of the text was not fetched. */
      readonly isCut: boolean;
      readonly attachments: readonly DescribedAttachment[];
    };

/** Messages up to this size are handed over whole. */
export const SOURCE_BYTES = 25 * 1024 * 1024;

/** An attachment as the server describes it. */
export interface DescribedAttachment {
  readonly name: string;
  readonly mime: string;
  readonly charset: string;
  /** Content-Transfer-Encoding. */
  readonly encoding: string;
  /** As it is encoded. */
  readonly encodedBytes: number;
}

export type AttachmentSource =
  /** The whole message that it is in. */
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** One of `attachments` of a message in parts, with its MIME header and encoded bytes as a message. */
  | {
      readonly kind: 'part';
      readonly described: DescribedAttachment;
      readonly bytes: Uint8Array | 'tooLarge';
    };

/** Of each address, at most so many copies are looked at. */
export const SENT_COPIES_MAX = 20;

/** What a message in Sent says about whom it went to. */
export interface SentCopy {
  readonly messageId: string | null;
  readonly subject: string;
  /** Bare addresses of every From header. */
  readonly from: readonly string[];
  /** Bare addresses of To, Cc and Bcc. */
  readonly recipients: readonly string[];
  /** It carries a header that only the delivery of mail adds: it came in. */
  readonly wasDelivered: boolean;
}

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface Draft {
  readonly from: MailAddress;
  /** Bare addresses. */
  readonly to: readonly string[];
  readonly subject: string;
  /** Plain text; lines end in LF. */
  readonly text: string;
  /** With angle brackets. */
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  /** What a calendar makes of the message (RFC 6047), beside its text. */
  readonly invitation?: Invitation;
  /** Value of the X-Countersign-Request header, which stays when a server replaces the Message-ID. */
  readonly requestId: string;
}

export interface Invitation {
  readonly method: 'REQUEST' | 'CANCEL';
  /** iCalendar text. */
  readonly ics: string;
}

export interface Outgoing {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** As `compose` gave it. */
  readonly raw: Uint8Array;
  /** Put on top of `raw` as its Date header. */
  readonly date: Date;
  readonly messageId: string;
}

/** Records that the next byte cannot be taken back; false: do not send it. */
export type Start = () => Promise<boolean>;

export type MailErrorCode =
  /** No such folder or message. */
  | 'not_found'
  /** The server said no; nothing was done. */
  | 'refused'
  /** The server could not be reached, was too slow, or put us off; nothing was done. */
  | 'unavailable'
  /** It may have been done. */
  | 'outcome_unknown'
  /** The server does not accept the credentials. */
  | 'auth'
  /** What it was for is not as it was when it was read; nothing was done. Calendars only. */
  | 'conflict'
  /** `start` answered false; nothing was done. */
  | 'not_started';

export class MailError extends Error {
  readonly code: MailErrorCode;

  /** @param reason for the log and the owner: plain words without addresses or content */
  constructor(code: MailErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MailError';
    this.code = code;
  }
}

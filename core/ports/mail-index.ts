import type { MessagePlace } from '../mail/listed-message.ts';
import type { SearchPosition } from './mail-reading.ts';

/**
 * An index beside the mailboxes: the text of their messages, so that a search need not ask the mail server. It knows no
 * server. Core tells it what a mailbox contains, and asks it only when it is as current as the mailbox. It keeps nothing in
 * clear, and nothing that cannot be built again. If a method fails, with any Error, the server is asked instead.
 */
export interface MailIndex {
  /**
   * Called once, before all others. What was written with another key is erased.
   * @param secretKey  32 bytes, for the index alone
   */
  open(secretKey: Uint8Array): Promise<void>;
  /** Every account of which there is something, in any order. */
  accounts(): Promise<readonly IndexedAccount[]>;
  /** What is indexed of an account. */
  folders(account: IndexedAccount): Promise<readonly IndexedFolder[]>;
  /** The messages of a folder that are indexed, by UID in ascending order. */
  uids(account: IndexedAccount, path: string): Promise<readonly number[]>;
  /** One unit. A message that is indexed already stays as it is. */
  save(account: IndexedAccount, change: IndexChange): Promise<void>;
  /** Erases a folder, if it is there. */
  forgetFolder(account: IndexedAccount, path: string): Promise<void>;
  /** Erases an account, if it is there. */
  forgetAccount(account: IndexedAccount): Promise<void>;
  /** The bytes that were fetched of an account on a day of UTC, counted since 1970. */
  fetched(account: IndexedAccount, day: number): Promise<number>;
  /** Adds to them, and returns their sum. What is known of earlier days may be forgotten. */
  addFetched(account: IndexedAccount, day: number, bytes: number): Promise<number>;
  /** What an account takes. Its share of the bytes may be estimated. */
  size(account: IndexedAccount): Promise<IndexSize>;
  /** Newest first, in the order of MailReading.search. `unanswerable`: only the server can tell. */
  search(account: IndexedAccount, query: IndexQuery): Promise<IndexPage | 'unanswerable'>;
  /**
   * The conversation of a message: the messages that have an id in common with it, or with one of them, in any order. Of each
   * folder the newest THREAD_MAX, and always the message itself. Empty: it is not indexed. `unanswerable`: only the server can
   * tell, because of any message of the account `linkedIds` are unknown, or because it takes too long.
   */
  conversation(
    account: IndexedAccount,
    place: MessagePlace,
  ): Promise<readonly IndexedPlace[] | 'unanswerable'>;
  close(): Promise<void>;
}

export interface IndexedAccount {
  readonly ownerId: string;
  readonly accountId: number;
}

export interface IndexedFolder {
  readonly path: string;
  readonly uidValidity: string;
  /** As the mailbox reported it. Null: it did not. */
  readonly uidNext: number | null;
  /** As the mailbox reported it when everything in the folder was indexed. Null: something is missing. */
  readonly state: string | null;
}

export interface IndexSize {
  readonly messages: number;
  readonly bytes: number;
}

/** Of one folder. If it is indexed with a different uidValidity, that is erased first. */
export interface IndexChange extends IndexedFolder {
  readonly add: readonly IndexedMessage[];
  /** UIDs. */
  readonly remove: readonly number[];
}

export interface IndexedMessage {
  readonly uid: number;
  /** INTERNALDATE. */
  readonly receivedMs: number;
  readonly text: IndexedText;
  /** Messages that have one of them in common are linked. Null: unknown. */
  readonly linkedIds: readonly string[] | null;
}

/** What a person would see of a message. */
export interface IndexedText {
  /** The sender as a row shows it. */
  readonly sender: string;
  /** The people and the subject, a line each. */
  readonly head: string;
  readonly body: string;
  /** False: there may be more, which could not be read. */
  readonly isWhole: boolean;
}

export interface IndexQuery {
  /** All of these must appear in head or body, and `from` in the sender, whatever the case and form of their letters. */
  readonly words: readonly string[];
  readonly from: string | undefined;
  readonly sinceMs: number | undefined;
  readonly folders: readonly {
    readonly path: string;
    /** Only these UIDs may match. Undefined: all. */
    readonly among: readonly number[] | undefined;
  }[];
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

export interface IndexPage {
  readonly hits: readonly IndexHit[];
  readonly more: boolean;
  readonly total: number;
  /** False: `total` is a lower bound. */
  readonly isExact: boolean;
  /** How many messages could not be read, and might match, by the paths of their folders. */
  readonly unknown: ReadonlyMap<string, number>;
}

export interface IndexedPlace {
  readonly path: string;
  readonly uid: number;
  /** INTERNALDATE. */
  readonly internalDateMs: number;
}

export interface IndexHit extends IndexedPlace {
  readonly folderKey: string;
}

import type { Signer } from '../secrets/keyring.ts';
import type { Account } from './account.ts';
import type { LinkedMessage, Tracker, TrackerSummary } from './tracker-storage.ts';

/** What core stores of the inboxes that are watched for new mail. Makes the same promises as Storage. */
export interface WatchStorage {
  /**
   * The inboxes that something may wait for: those of owners with an enabled endpoint for `message.received` or an
   * active tracker with keywords. `leaseInboxes` decides. @param all every inbox
   */
  inboxesToWatch(all: boolean): Promise<readonly InboxToWatch[]>;

  /**
   * Leases the owner's inboxes that something waits for and nobody else has, and renews those in `held` for as long as
   * something waits for them. An inbox has one holder at a time, by the store's clock. A new holder gets a higher fence.
   *
   * Events of an inbox are read if `all`, or if an endpoint for `message.received` is enabled and its key is on and may
   * read mail. Links are read if the owner has an active tracker with keywords. A reader starts with the mail received
   * since the oldest endpoint or tracker was created, and ends when nothing needs it. If it starts again, it continues
   * with new mail only.
   * @param request `held`: the fence of each inbox that the caller has
   * @returns the inboxes that the caller has now
   */
  leaseInboxes(request: {
    ownerId: string;
    all: boolean;
    held: ReadonlyMap<number, number>;
    leaseMs: number;
    signer: Signer;
    now: Date;
  }): Promise<readonly LeasedInbox[]>;

  /** Gives leased inboxes back, so that another process can have them at once. */
  releaseInboxes(ownerId: string, held: ReadonlyMap<number, number>): Promise<void>;

  /**
   * Moves a reader of an inbox, and adds the events and links found on the way, atomically and in order. Links follow
   * the rules of `linkToTracker`, added by `auto`. A tracker that was resolved in the meantime gets none. A message that
   * a request moved into the inbox causes no event.
   * @returns false, with no change, if the fence is lost, the position is no longer `from`, or the account was removed
   */
  advanceInbox(step: InboxStep): Promise<boolean>;

  /** The active trackers of an owner that have keywords. */
  waitingTrackers(ownerId: string): Promise<readonly WaitingTracker[]>;

  /**
   * Trackers whose summary lacks messages. One of every owner comes before a second one of any owner.
   * @param request  `messages`: the most to return per tracker, newest first
   */
  summariesDue(request: { messages: number; limit: number }): Promise<readonly DueSummary[]>;

  /** Saves a summary. It becomes due again once messages are linked after `upTo`. */
  saveSummary(request: {
    ownerId: string;
    trackerId: number;
    summary: TrackerSummary;
    upTo: number;
  }): Promise<void>;
}

/** The two readers of an inbox. Each has its own position, because events do not wait for the text of messages. */
export const INBOX_READERS = ['events', 'links'] as const;
export type InboxReader = (typeof INBOX_READERS)[number];

export interface InboxToWatch {
  readonly ownerId: string;
  readonly accountId: number;
  /** Somebody has it, by the store's clock. */
  readonly isLeased: boolean;
}

export interface LeasedInbox {
  readonly account: Account;
  readonly fence: number;
  /** Undefined: nothing needs this reader. */
  readonly positions: { readonly [Reader in InboxReader]: InboxPosition | undefined };
}

export interface InboxStep {
  readonly ownerId: string;
  readonly accountId: number;
  readonly fence: number;
  readonly reader: InboxReader;
  readonly from: InboxPosition;
  readonly to: InboxPosition;
  /** The messages of new events. */
  readonly received: readonly ReceivedMessage[];
  readonly links: readonly InboxLink[];
  readonly now: Date;
}

export interface ReceivedMessage {
  /** See `arrivalIdentity`. */
  readonly identity: string;
  /** As on the wire. */
  readonly messageId: string;
}

export interface InboxLink {
  readonly trackerId: number;
  readonly target: string;
  readonly message: LinkedMessage;
}

/** How far an inbox is read, and what is needed to go on if the server recreates it. Times are INTERNALDATEs in seconds. */
export interface InboxPosition {
  /** Null: the inbox was not opened yet. */
  readonly uidValidity: string | null;
  /** Every message up to this one was read. */
  readonly uid: number;
  /** Mail received before is old. All mail received later and read so far is in `recent`. */
  readonly sinceS: number;
  readonly recent: readonly RecentMessage[];
  /**
   * Messages up to `uid` may have existed before the inbox was recreated or restored. Those received before `sinceS` and those
   * in `recent` are old. Null: every message is new.
   */
  readonly sift: { readonly uid: number; readonly sinceS: number } | null;
}

/** @see arrivalIdentity */
export type RecentMessage = readonly [identity: string, receivedS: number];

export type WaitingTracker = Pick<Tracker, 'trackerId' | 'keywords' | 'createdAt'>;

export interface DueSummary {
  readonly tracker: Tracker;
  /** Newest link first. */
  readonly messages: readonly LinkedMessage[];
  /** The newest link that the summary will include. */
  readonly upTo: number;
}

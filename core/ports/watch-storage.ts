import type { Account } from './account.ts';
import type { LinkedMessage, Tracker, TrackerSummary } from './tracker-storage.ts';

/** What core stores of the inboxes that trackers watch for mail. Gives the same guarantees as Storage. */
export interface WatchStorage {
  /**
   * The inboxes of all owners who have an active tracker with keywords, with the watched position of each. Forgets the
   * positions of owners without such a tracker: mail that arrives then is not new to any later tracker.
   */
  inboxesToWatch(): Promise<readonly WatchedInbox[]>;

  /** The active trackers of an owner that have keywords. */
  waitingTrackers(ownerId: string): Promise<readonly WaitingTracker[]>;

  /**
   * Moves the position of an inbox and adds the links found on the way, atomically. Links follow the rules of
   * `linkToTracker`, added by `auto`. A tracker that was resolved in the meantime gets none.
   * @returns false, with no change, if the position is no longer `from` or the account was removed
   */
  watched(step: {
    ownerId: string;
    accountId: number;
    from: InboxPosition | undefined;
    to: InboxPosition;
    links: readonly {
      readonly trackerId: number;
      readonly target: string;
      readonly message: LinkedMessage;
    }[];
    now: Date;
  }): Promise<boolean>;

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

export interface WatchedInbox {
  readonly account: Account;
  /** Undefined: never watched yet. */
  readonly position: InboxPosition | undefined;
}

/** The last message that was seen. */
export interface InboxPosition {
  /** Null: the inbox was empty. */
  readonly uidValidity: string | null;
  readonly uid: number;
}

export type WaitingTracker = Pick<Tracker, 'trackerId' | 'keywords' | 'createdAt'>;

interface DueSummary {
  readonly tracker: Tracker;
  /** Newest link first. */
  readonly messages: readonly LinkedMessage[];
  /** The newest link that the summary will include. */
  readonly upTo: number;
}

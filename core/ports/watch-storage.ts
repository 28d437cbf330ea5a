import type { Account } from './account.ts';
import type { LinkedMessage, Tracker, TrackerSummary } from './tracker-storage.ts';

/** What core keeps of the inboxes in which trackers wait for mail. Promises as those of Storage. */
export interface WatchStorage {
  /**
   * The inboxes of all owners who have an active tracker with keywords, and where the watching of each stands. Where
   * an owner waits for nothing any more that place is forgotten: what arrives then is nobody's new mail.
   */
  inboxesToWatch(): Promise<readonly WatchedInbox[]>;

  /** The active trackers of an owner that have keywords. */
  waitingTrackers(ownerId: string): Promise<readonly WaitingTracker[]>;

  /**
   * Moves an inbox on and links what was found on the way, in one unit. Links are as those of `linkToTracker`, added
   * by `auto`; a tracker that was resolved meanwhile gets none.
   * @returns false, and nothing is changed, when the inbox does not stand at `from` any more, or its account is gone
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

  /** Trackers with messages that their summary does not know. @param messages the newest of each, at most so many */
  summariesDue(request: { messages: number; limit: number }): Promise<readonly DueSummary[]>;

  /** Keeps a summary; it is due again when messages came behind `upTo`. */
  saveSummary(request: {
    ownerId: string;
    trackerId: number;
    summary: TrackerSummary;
    upTo: number;
  }): Promise<void>;
}

export interface WatchedInbox {
  readonly account: Account;
  /** Undefined: it was never looked at. */
  readonly position: InboxPosition | undefined;
}

/** The last message that was looked at. */
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
  /** The newest link that the summary will know. */
  readonly upTo: number;
}

import type { MessageRow } from '../mail/message-row.ts';

/** What core stores of trackers. Makes the same promises as Storage. */
export interface TrackerStorage {
  /**
   * Adds an open tracker. The same `requestId` of an owner adds only one tracker: a repeat after a crash returns the
   * existing one.
   */
  createTracker(tracker: {
    ownerId: string;
    requestId: string;
    title: string;
    keywords: string;
    /** YYYY-MM-DD. */
    dueOn: string | null;
    addedByAgent: boolean;
    now: Date;
  }): Promise<Tracker>;

  /**
   * Trackers of the owner, newest first. `active`: open and waiting.
   * @param query `before`: only trackers with a smaller number
   * @returns `total`: the number of trackers on all pages
   */
  trackers(query: {
    ownerId: string;
    state: 'active' | 'resolved';
    before: number | undefined;
    limit: number;
  }): Promise<{ readonly trackers: readonly Tracker[]; readonly total: number; readonly more: boolean }>;

  /**
   * One tracker with a page of its links, newest first. Undefined: the owner has no such tracker.
   * @param query `upTo`: only links with this number or a smaller one; `limit` may be 0
   * @returns `total`: the number of links on all pages
   */
  tracker(query: { ownerId: string; trackerId: number; upTo: number | undefined; limit: number }): Promise<
    | {
        readonly tracker: Tracker;
        readonly links: readonly TrackerLink[];
        readonly total: number;
        readonly more: boolean;
      }
    | undefined
  >;

  /**
   * Changes the status to any status, even to the same one. Entering `resolved` sets `resolvedAt`; leaving clears it.
   * Undefined: the owner has no such tracker.
   */
  setTrackerStatus(change: {
    ownerId: string;
    trackerId: number;
    status: TrackerStatus;
    now: Date;
  }): Promise<Tracker | undefined>;

  /**
   * Adds a link. A tracker has one link per `target`: a repeat returns the existing one, unchanged. Linking a message
   * makes the tracker's summary due. Undefined: the owner has no such tracker, or it is resolved and the link is `auto`.
   */
  linkToTracker(link: {
    ownerId: string;
    trackerId: number;
    target: string;
    addedBy: TrackerLink['addedBy'];
    content: LinkContent;
    now: Date;
  }): Promise<TrackerLink | undefined>;

  /**
   * Changes the fields, if they are still as in `was`. Undefined: the owner has no such tracker.
   * @returns `won`: whether they are now as in `fields`
   */
  editTracker(change: {
    ownerId: string;
    trackerId: number;
    was: TrackerFields;
    fields: TrackerFields;
  }): Promise<{ readonly won: boolean } | undefined>;

  /**
   * Removes a link. If it is of a message, the summary becomes empty, and is due if other messages are linked.
   * @param link `createdAt`: the number of a removed link may be used again
   * @returns whether the tracker had this link
   */
  unlinkFromTracker(link: {
    ownerId: string;
    trackerId: number;
    linkId: number;
    createdAt: Date;
  }): Promise<boolean>;
}

export type TrackerStatus = 'open' | 'waiting' | 'resolved';

/** What the owner and agents write of a tracker. */
export interface TrackerFields {
  readonly title: string;
  /** Comma-separated. Empty: nothing is linked automatically. */
  readonly keywords: string;
  /** YYYY-MM-DD. */
  readonly dueOn: string | null;
}

export interface Tracker extends TrackerFields {
  readonly ownerId: string;
  /** Counted per owner, from 1. */
  readonly trackerId: number;
  readonly status: TrackerStatus;
  readonly addedByAgent: boolean;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  /** When the keywords last linked new or sent mail. */
  readonly lastAutoLinkAt: Date | null;
  readonly summary: TrackerSummary;
}

/** A summary of the linked messages, from a summarizer. */
export interface TrackerSummary {
  /** Untrusted text. Empty if no message is linked. */
  readonly text: string;
  /** Untrusted text. Empty if the messages ask for nothing. */
  readonly nextAction: string;
  readonly importance: 'low' | 'normal' | 'important';
  /** Number of messages that it summarizes. */
  readonly sourceCount: number;
}

export interface TrackerLink {
  /** Counted per owner, from 1. */
  readonly linkId: number;
  /** `auto`: linked by the tracker's keywords. */
  readonly addedBy: 'agent' | 'auto' | 'owner';
  readonly createdAt: Date;
  readonly content: LinkContent;
}

export type LinkContent =
  | { readonly kind: 'mail'; readonly message: LinkedMessage }
  | { readonly kind: 'event'; readonly eventId: number; readonly title: string; readonly start: Date }
  | { readonly kind: 'note'; readonly note: string };

/** A message as it was when it was linked. */
export interface LinkedMessage
  extends Pick<
    MessageRow,
    'place' | 'stableId' | 'fingerprint' | 'from' | 'subject' | 'date' | 'internalDate' | 'sizeBytes'
  > {
  readonly accountId: number;
  /** The beginning of its text, for the summary. */
  readonly excerpt: string;
}

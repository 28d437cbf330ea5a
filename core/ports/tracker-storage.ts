import type { EventKey } from '../calendar/event.ts';
import type { MessageRow } from '../mail/message-row.ts';

/** What core keeps of trackers and of the numbers of calendar events. Promises as those of Storage. */
export interface TrackerStorage {
  /**
   * Adds an open tracker. The same `requestId` of an owner adds one tracker only: a repeat after a crash answers
   * the one that is there.
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
   * Trackers of the owner, newest first: `active` is open and waiting.
   * @param query `before`: only those with a smaller number
   * @returns `total`: how many there are in all pages
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
   * @returns `total`: how many links there are in all pages
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
   * Any status to any other, or to itself. Coming to `resolved` sets `resolvedAt`, leaving it clears it.
   * Undefined: the owner has no such tracker.
   */
  setTrackerStatus(change: {
    ownerId: string;
    trackerId: number;
    status: TrackerStatus;
    now: Date;
  }): Promise<Tracker | undefined>;

  /**
   * Adds a link. A tracker has one link for each `target`: a repeat answers the one that is there, unchanged.
   * A message makes the tracker's summary due. Undefined: the owner has no such tracker.
   */
  linkToTracker(link: {
    ownerId: string;
    trackerId: number;
    target: string;
    addedBy: TrackerLink['addedBy'];
    content: LinkContent;
    now: Date;
  }): Promise<TrackerLink | undefined>;

  /** The owner's number of each event, in their order; an event seen for the first time gets the next one. */
  eventNumbers(ownerId: string, accountId: number, events: readonly EventKey[]): Promise<readonly number[]>;

  /** What an event's number stands for, whatever became of the event; undefined: the owner has no such number. */
  event(ownerId: string, eventId: number): Promise<NumberedEvent | undefined>;
}

export interface NumberedEvent {
  readonly accountId: number;
  readonly key: EventKey;
}

export type TrackerStatus = 'open' | 'waiting' | 'resolved';

export interface Tracker {
  readonly ownerId: string;
  /** Counts per owner, from 1. */
  readonly trackerId: number;
  readonly title: string;
  /** Comma-separated; empty: nothing is linked by itself. */
  readonly keywords: string;
  readonly dueOn: string | null;
  readonly status: TrackerStatus;
  readonly addedByAgent: boolean;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  /** When new mail was last linked by its keywords. */
  readonly lastAutoLinkAt: Date | null;
  readonly summary: TrackerSummary;
}

/** What a summarizer made of the linked messages. */
export interface TrackerSummary {
  /** Made of strangers' words; empty where no message is linked. */
  readonly text: string;
  /** The same; empty where nothing is asked for. */
  readonly nextAction: string;
  readonly importance: 'low' | 'normal' | 'important';
  /** Messages that it was made of. */
  readonly sourceCount: number;
}

export interface TrackerLink {
  /** Counts per owner, from 1. */
  readonly linkId: number;
  /** `auto`: by the tracker's keywords. */
  readonly addedBy: 'agent' | 'auto';
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

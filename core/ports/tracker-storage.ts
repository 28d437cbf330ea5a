import type { EventKey } from './calendar.ts';

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

  /** The owner's number of each event, in their order; an event seen for the first time gets the next one. */
  eventNumbers(ownerId: string, accountId: number, events: readonly EventKey[]): Promise<readonly number[]>;

  /** What an event's number stands for, whatever became of the event; undefined: the owner has no such number. */
  event(ownerId: string, eventId: number): Promise<NumberedEvent | undefined>;
}

export interface NumberedEvent {
  readonly accountId: number;
  readonly key: EventKey;
}

export interface Tracker {
  readonly ownerId: string;
  /** Counts per owner, from 1. */
  readonly trackerId: number;
  readonly title: string;
  readonly keywords: string;
  readonly dueOn: string | null;
  readonly status: 'open' | 'waiting' | 'resolved';
  readonly addedByAgent: boolean;
  readonly createdAt: Date;
}

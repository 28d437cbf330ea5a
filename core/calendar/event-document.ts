import type { EventFacts, EventKey } from './event.ts';

/** What reading a document needs. */
export interface DocumentReading {
  /** The owner's IANA zone. */
  readonly timezone: string;
  /** Ends the work: its reason is thrown. */
  readonly signal: AbortSignal;
}

/** What writing a document needs. */
export interface DocumentWriting extends DocumentReading {
  /** When the change is made. */
  readonly stamp: Date;
}

/** What a document says about one event. */
export type EventReading =
  | {
      readonly kind: 'event';
      readonly event: EventFacts;
      /** Why it cannot be changed here; null: it can. */
      readonly locked: EventLock | null;
      /** The document describes the time zone of the event differently from the zone of that name. */
      readonly isZoneDisputed: boolean;
      /**
       * What else the document holds, as it stands there, in lines: a server that invites by itself passes that on.
       * Empty: nothing.
       */
      readonly alongside: string;
    }
  /** The document does not say that event. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' };

export type EventLock =
  /** A change of it would change other events of its series. */
  | 'split_series'
  /** What is not to change could not be kept for sure. */
  | 'unreadable';

/** What names an event within its document. */
export type KeyInDocument = Pick<EventKey, 'uid' | 'recurrenceId'>;

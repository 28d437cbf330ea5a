import type { EventFacts, EventKey } from './event.ts';

/** The context for reading a document. */
export interface DocumentReading {
  /** The owner's IANA zone. */
  readonly timezone: string;
  /** Whose document it is: owners take turns. */
  readonly ownerId: string;
  /** Ends the work: throws its reason. */
  readonly signal: AbortSignal;
}

/** The context for writing a document. */
export interface DocumentWriting extends DocumentReading {
  /** The time of the change. */
  readonly stamp: Date;
}

/** The contents of a document about one event. */
export type EventReading =
  | {
      readonly kind: 'event';
      readonly event: EventFacts;
      /** Why the event cannot be changed here. Null: it can. */
      readonly locked: EventLock | null;
      /** The document describes the event's time zone differently from the IANA zone of that name. */
      readonly isZoneDisputed: boolean;
      /**
       * The document's other contents, unchanged, in lines. A server that sends invitations itself passes them on.
       * Empty: none.
       */
      readonly alongside: string;
      /** What the calendar's server says about telling each attendee itself. Absent: the format cannot say it. */
      readonly invitations?: readonly InvitationStatus[] | undefined;
    }
  /** The document does not contain that event. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' };

/** What a server says about the message to an attendee. `unknown`: nothing. */
export const INVITATION_STATES = ['sent', 'failed', 'unknown'] as const;

export interface InvitationStatus {
  readonly address: string;
  readonly state: (typeof INVITATION_STATES)[number];
}

export const EVENT_LOCKS = [
  /** Changing it would change other events of its series. */
  'split_series',
  /** Several events of the document have its key, so it is not certain which one is meant. */
  'not_unique',
  /** The rest of the document could not be kept reliably. */
  'unreadable',
] as const;

export type EventLock = (typeof EVENT_LOCKS)[number];

/** Identifies an event within its document. */
export type KeyInDocument = Pick<EventKey, 'uid' | 'recurrenceId'>;

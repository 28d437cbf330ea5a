import type { CalendarEvent, EventFacts, EventKey, RangeQuery } from '../calendar/event.ts';
import type {
  DocumentReading,
  DocumentWriting,
  EventLock,
  EventReading,
  KeyInDocument,
} from '../calendar/event-document.ts';
import type { MailCall, Start } from './mail.ts';

/**
 * What core needs of a calendar: its events, each with the ETag of the document that it lies in. Nothing here knows a
 * format: a provider without iCalendar implements this port, a store of iCalendar objects implements CalendarObjects.
 * One object serves all accounts; failures are MailErrors, as the mailbox's are.
 */
export interface Calendar {
  /**
   * Connects and signs in, and names the calendars of the account that hold events. Empty: the account has none.
   * Used before an account is saved, and to let the owner pick the one that is written to.
   */
  calendars(call: MailCall): Promise<readonly CalendarInfo[]>;

  /** The calendar that new events are put into; undefined: the account has none. */
  target(call: MailCall): Promise<CalendarInfo | undefined>;

  /**
   * Every event, of all calendars of the account, that touches the time from `from` to `to`; recurring ones
   * expanded, earliest first. An account without a calendar has none.
   */
  list(call: MailCall, query: RangeQuery): Promise<EventList>;

  /**
   * One event as it is now; undefined when it is gone (or that instance is).
   * @param key `recurrenceId` null: the event itself; of a series, its first part
   */
  read(call: MailCall, key: EventKey, timezone: string): Promise<StoredEvent | undefined>;

  /** How this calendar writes events down. */
  readonly documents: EventDocuments;

  /**
   * Stores exactly `document`, after `start`, under the condition of `ifMatch`: the ETag of what it replaces, null for
   * a new one.
   * @throws MailError `conflict` when the condition does not hold, `not_found` when what it replaces is gone (nothing
   *   was done in both), `outcome_unknown` when it may have been stored
   */
  write(
    call: MailCall,
    document: DocumentPlace & { readonly document: string; readonly ifMatch: string | null },
    start: Start,
  ): Promise<void>;

  /** Deletes the document, after `start`, under the same condition. @throws MailError as `write` */
  remove(call: MailCall, document: DocumentPlace & { readonly ifMatch: string }, start: Start): Promise<void>;

  /** Ends every connection of the account (it was removed or its settings changed). */
  forget(ownerId: string, accountId: number): Promise<void>;

  close(): Promise<void>;
}

export interface EventList {
  readonly events: readonly CalendarEvent[];
  /** Documents that may hold more of them and cannot be read, or not as far as was requested. */
  readonly unreadable: number;
}

/**
 * How a calendar writes events down. A plan freezes a document when it is filed; the owner's page shows what `read`
 * says of it, and that document, character for character, is what `write` stores. All of this only computes: nothing
 * is stored or sent.
 */
export interface EventDocuments {
  /** What a document says about one event. */
  read(document: string, key: KeyInDocument, reading: DocumentReading): Promise<EventReading>;

  /** The document of a new event. Core reads it again and refuses one that does not say the event. */
  create(event: EventFacts, writing: DocumentWriting): Promise<string>;

  /**
   * The document with the event as it is to be; everything else in it stays. `sequence` rises by itself.
   * @returns undefined when that cannot be done for sure
   */
  change(
    document: string,
    change: { readonly before: EventFacts; readonly after: EventFacts },
    writing: DocumentWriting,
  ): Promise<string | undefined>;

  /**
   * The document without that event.
   * @returns null when nothing is left of it; undefined when that cannot be done for sure
   */
  without(document: string, key: KeyInDocument, writing: DocumentWriting): Promise<string | null | undefined>;
}

export interface CalendarInfo {
  /** Names the calendar within the account; stays the same. On CalDAV: the decoded path of the collection. */
  readonly calendar: string;
  /** As a person named it. */
  readonly name: string;
  /** The owner may write to it. */
  readonly writable: boolean;
  /**
   * The server itself tells attendees when an object is stored or deleted whose organizer is the account's own address
   * (RFC 6638 calendar-auto-schedule).
   */
  readonly schedules: boolean;
  /**
   * The server may write to others when an event that somebody else organizes changes or is deleted: to the organizer,
   * that the owner does not come (RFC 6638 3.2.2), and to the attendees if it knows the organizer as the owner. Also
   * true if it only knows the owner by another address than the account's. If in doubt: true.
   */
  readonly answersOrganizers: boolean;
  readonly access: CalendarAccess;
}

/**
 * Who gets at what is in a calendar. `own`: the owner alone; to see when they are busy does not count. `shared`: others
 * as well, or it is somebody else's. `unknown`: the server shares calendars and does not say of this one; also the
 * right answer of an adapter that cannot find out.
 */
export type CalendarAccess = 'own' | 'shared' | 'unknown';

/** Where a document (one UID: a series with its overrides) lies. */
export interface DocumentPlace {
  readonly calendar: string;
  /** The document's name in the calendar, such as `4711.ics`. */
  readonly name: string;
}

export interface StoredEvent {
  readonly event: EventFacts;
  readonly locked: EventLock | null;
  readonly place: DocumentPlace;
  readonly etag: string;
  /** The whole document, as the server gave it. */
  readonly document: string;
  /** The one that it lies in. */
  readonly calendar: CalendarInfo;
}

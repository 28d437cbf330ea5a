import type { CalendarEvent, EventFacts, EventKey, RangeQuery } from '../calendar/event.ts';
import type {
  DocumentReading,
  DocumentWriting,
  EventLock,
  EventReading,
  InvitationStatus,
  KeyInDocument,
} from '../calendar/event-document.ts';
import type { UnusableReason } from '../calendar/why-unusable.ts';
import type { MailCall, Start } from './mail.ts';

/**
 * What core needs of a calendar: its events, each with the ETag of its document. This port knows no format. A
 * provider without iCalendar implements it directly; a store of iCalendar objects implements CalendarObjects.
 * One object serves all accounts. Failures are MailErrors, as for mailboxes.
 * @typeParam Settings  what `accounts.connect` takes as `settings`, besides those of the mailbox
 */
export interface Calendar<Settings = unknown> {
  /** Only for the compiler. It has no value. */
  readonly Settings?: Settings;

  /**
   * Connects, signs in and lists the account's calendars that hold events. Empty: the account has none.
   * Used before an account is saved, and when the owner picks the calendar to write to.
   */
  calendars(call: MailCall): Promise<readonly CalendarInfo[]>;

  /** The calendars of the account that `calendars` leaves out. Absent: there are none. */
  unusable?(call: MailCall): Promise<readonly UnusableCalendar[]>;

  /**
   * The calendar for new events. Undefined: the account has no calendar server, or may write to no calendar.
   * @throws MailError `not_found` with the trouble `no_calendar` if its server has no calendar for events yet
   */
  target(call: MailCall): Promise<CalendarInfo | undefined>;

  /**
   * Every event of the account that overlaps the range from `from` to `to`, from all its calendars. Series are
   * expanded. Earliest first. Empty if the account has no calendar.
   */
  list(call: MailCall, query: RangeQuery): Promise<EventList>;

  /**
   * One event as it is now. Undefined if the event, or that instance, no longer exists.
   * @param key `recurrenceId` null: the event itself; for a series, its first part
   */
  read(call: MailCall, key: EventKey, timezone: string): Promise<StoredEvent | undefined>;

  /** The document format of this calendar. */
  readonly documents: EventDocuments;

  /**
   * Stores exactly `document`, after `start`, on condition that `ifMatch` holds: the ETag of the document that it
   * replaces, or null for a new one.
   * @throws MailError `conflict` if the condition does not hold, `not_found` if the document to replace no longer
   * exists (nothing was done in either case), `outcome_unknown` if it may have been stored
   */
  write(
    call: MailCall,
    document: DocumentPlace & { readonly document: string; readonly ifMatch: string | null },
    start: Start,
  ): Promise<void>;

  /** Deletes the document, after `start`, on the same condition. @throws MailError as `write` */
  remove(call: MailCall, document: DocumentPlace & { readonly ifMatch: string }, start: Start): Promise<void>;

  /** Closes every connection of the account. Called when the account is removed or its settings change. */
  forget(ownerId: string, accountId: number): Promise<void>;

  close(): Promise<void>;
}

export interface EventList {
  readonly events: readonly CalendarEvent[];
  /** Number of documents that may contain more events and could not be read, or not up to the end of the range. */
  readonly unreadable: number;
  /** The calendars whose events are missing. Default: none. */
  readonly missing?: readonly MissingCalendar[];
}

/** A calendar that the server does not show, while it shows others. */
export interface MissingCalendar {
  readonly name: string;
  /** `refused`: it may not be read. `undeliverable`: the server fails on each request for it. */
  readonly reason: 'refused' | 'undeliverable';
}

/**
 * How a calendar writes events down. A plan freezes a document when it is filed. The owner's page shows what `read`
 * returns for it, and `write` stores that document, character for character. These functions only compute: they store
 * and send nothing.
 */
export interface EventDocuments {
  /** Reads one event of a document. */
  read(document: string, key: KeyInDocument, reading: DocumentReading): Promise<EventReading>;

  /** Writes the document of a new event. Core reads it again and refuses one that does not match the event. */
  create(event: EventFacts, writing: DocumentWriting): Promise<string>;

  /**
   * Returns the document with the event changed. Everything else in it stays. `sequence` is raised automatically.
   * @returns undefined if the change cannot be made reliably
   */
  change(
    document: string,
    change: { readonly before: EventFacts; readonly after: EventFacts },
    writing: DocumentWriting,
  ): Promise<string | undefined>;

  /**
   * Returns the document without that event.
   * @returns null if nothing is left of it; undefined if the event cannot be removed reliably
   */
  without(document: string, key: KeyInDocument, writing: DocumentWriting): Promise<string | null | undefined>;
}

/** A calendar, or a collection of them, that Countersign cannot use. */
export interface UnusableCalendar {
  readonly name: string;
  readonly reason: UnusableReason;
}

export interface CalendarInfo {
  /** Identifies the calendar within the account and never changes. On CalDAV: the decoded path of the collection. */
  readonly calendar: string;
  /** The display name. */
  readonly name: string;
  /** Whether the owner may write to it. */
  readonly writable: boolean;
  /**
   * The server itself notifies attendees when an object is stored or deleted, if the organizer is the account's own
   * address (RFC 6638 calendar-auto-schedule).
   */
  readonly schedules: boolean;
  /**
   * The server may write to others when an event that somebody else organizes is changed or deleted: to the
   * organizer, that the owner does not attend (RFC 6638 3.2.2), and to the attendees, if it takes the owner for the
   * organizer. Also true if it only knows the owner by an address that is not the account's. If in doubt: true.
   */
  readonly answersOrganizers: boolean;
  /**
   * The addresses by which the server knows the owner (RFC 6638 2.4.1), besides the account's: mail addresses, and the
   * addresses of a principal. At most 20. Default: none.
   */
  readonly ownAddresses?: readonly string[];
  readonly access: CalendarAccess;
}

/**
 * Who has access to the contents of a calendar. `own`: only the owner; seeing when they are busy does not count.
 * `shared`: others too, or the calendar belongs to somebody else. `unknown`: the server shares calendars and does not
 * report whether it shares this one. An adapter that cannot find out also returns `unknown`.
 */
export type CalendarAccess = 'own' | 'shared' | 'unknown';

/** Where a document is stored. A document has one UID: an event, or a series with its overrides. */
export interface DocumentPlace {
  readonly calendar: string;
  /** The document's name in the calendar, such as `4711.ics`. On CalDAV: the end of its path, as the server writes it. */
  readonly name: string;
}

export interface StoredEvent {
  readonly event: EventFacts;
  readonly locked: EventLock | null;
  /** See EventReading. */
  readonly invitations?: readonly InvitationStatus[] | undefined;
  readonly place: DocumentPlace;
  readonly etag: string;
  /** The whole document, exactly as the server returned it. */
  readonly document: string;
  /** The calendar that contains it. */
  readonly calendar: CalendarInfo;
}

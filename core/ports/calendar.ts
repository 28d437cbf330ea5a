import type { MailCall, Start } from './mail.ts';

/**
 * What core asks of a calendar. One object serves all accounts; failures are MailErrors, as the mailbox's are.
 * Objects are iCalendar text (RFC 5545): what is stored is what the plan froze, byte for byte.
 */
export interface EventList {
  readonly events: readonly CalendarEvent[];
  /** Objects that may hold more of them and cannot be read, or not as far as was asked. */
  readonly unreadable: number;
}

export interface Calendar {
  /**
   * Connects and signs in, and names the calendars of the account that hold events. Empty: the account has none.
   * Used before an account is saved, and to let the owner pick the one that is written to.
   */
  calendars(call: MailCall): Promise<readonly CalendarInfo[]>;

  /**
   * Every event, of all calendars of the account, that touches the time from `from` to `to`; recurring ones
   * expanded, earliest first. An account without a calendar has none.
   * @param query `timezone`: the owner's, for floating and all-day events
   */
  list(call: MailCall, query: { from: Date; to: Date; timezone: string }): Promise<EventList>;

  /**
   * One event with the object that it lies in, as it is now; undefined when it is gone (or that instance is).
   * @param key `recurrenceId` null: the event itself; of a series, its first part
   */
  read(call: MailCall, key: EventKey, timezone: string): Promise<StoredEvent | undefined>;

  /** The calendar that new events are put into; undefined: the account has none. */
  target(call: MailCall): Promise<CalendarInfo | undefined>;

  /**
   * Stores exactly `ics`, after `start`, under the condition of `ifMatch`: the ETag of what it replaces, null for a
   * new object (If-None-Match: *).
   * @throws MailError `conflict` when the condition does not hold, `not_found` when what it replaces is gone (nothing
   *   was done in both), `outcome_unknown` when it may have been stored
   */
  write(
    call: MailCall,
    object: ObjectPlace & { ics: string; ifMatch: string | null },
    start: Start,
  ): Promise<void>;

  /** Deletes the object, after `start`, under the same condition. @throws MailError as `write` */
  remove(call: MailCall, object: ObjectPlace & { ifMatch: string }, start: Start): Promise<void>;

  /** Ends every connection of the account (it was removed or its settings changed). */
  forget(ownerId: string, accountId: number): Promise<void>;

  close(): Promise<void>;
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

/** What stays the same of an event when its place on the server changes. */
export interface EventKey {
  /** `calendar` of a CalendarInfo. */
  readonly calendar: string;
  /** RFC 5545 UID. */
  readonly uid: string;
  /**
   * Of an instance of a series, its RECURRENCE-ID: `20261121T090000Z` (UTC) where it has a zone, `20261121T090000`
   * where it floats, `20261121` where it lasts all day.
   */
  readonly recurrenceId: string | null;
}

export interface CalendarEvent extends EventKey {
  readonly title: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  readonly allDay: boolean;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly recurring: boolean;
}

/** Where an object (one UID: a series with its overrides) lies. */
export interface ObjectPlace {
  readonly calendar: string;
  /** The object's name in the calendar, such as `4711.ics`. */
  readonly name: string;
}

export interface StoredEvent {
  readonly event: CalendarEvent;
  readonly place: ObjectPlace;
  readonly etag: string;
  /** The whole object, as the server gave it. */
  readonly ics: string;
  /** The one that it lies in. */
  readonly calendar: CalendarInfo;
}

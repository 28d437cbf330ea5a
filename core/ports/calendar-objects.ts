import type { CalendarInfo, DocumentPlace, MissingCalendar, UnusableCalendar } from './calendar.ts';
import type { MailCall, MailError, Start } from './mail.ts';

/**
 * A store of iCalendar objects (RFC 5545) with ETags, such as a CalDAV server. It moves text and reads none of it:
 * `objectCalendar` turns it into a Calendar. One object serves all accounts. Failures are MailErrors.
 */
export interface CalendarObjects<Settings = unknown> {
  /** Only for the compiler. It has no value. */
  readonly Settings?: Settings;

  /** Same as `calendars`, `unusable` and `target` of Calendar. */
  calendars(call: MailCall): Promise<readonly CalendarInfo[]>;
  unusable?(call: MailCall): Promise<readonly UnusableCalendar[]>;
  target(call: MailCall): Promise<CalendarInfo | undefined>;

  /**
   * Every object that may overlap the range from `from` to `to`, one calendar after another. May include other
   * objects. Yielded objects are not kept, so the objects of all calendars need not be in memory together.
   */
  inRange(
    call: MailCall,
    range: { readonly from: Date; readonly to: Date },
  ): AsyncIterable<ObjectsInCalendar | UnlistedCalendar>;

  /**
   * The objects with that UID; may include others. Empty if there is none, or if no calendar has that name.
   * @param key `documentName`: only the object of that name
   */
  withUid(
    call: MailCall,
    key: { readonly calendar: string; readonly uid: string; readonly documentName?: string },
  ): Promise<readonly StoredObject[]>;

  /** Same as `write` and `remove` of Calendar. The document is `ics`, byte for byte. */
  write(
    call: MailCall,
    object: DocumentPlace & { readonly ics: string; readonly ifMatch: string | null },
    start: Start,
  ): Promise<void>;
  remove(call: MailCall, object: DocumentPlace & { readonly ifMatch: string }, start: Start): Promise<void>;

  forget(ownerId: string, accountId: number): Promise<void>;
  close(): Promise<void>;
}

/** A calendar, or a collection of calendars, that the server does not list although it lists others. */
export interface UnlistedCalendar extends MissingCalendar {
  /** What the server answered to the list. */
  readonly error?: MailError;
}

/** The objects of one calendar that may overlap a range. */
export interface ObjectsInCalendar {
  /** The `calendar` field of its CalendarInfo. */
  readonly calendar: string;
  readonly objects: readonly NamedObject[];
  /** Number of further objects that the server failed to return. */
  readonly missing: number;
  /** Receives what the reader found in `objects`, in their order, so that the next list can request fewer. */
  learn?(seen: readonly ObjectSeen[]): void;
}

export interface NamedObject {
  /** See DocumentPlace. */
  readonly name: string;
  readonly ics: string;
}

/** What the reader found in an object. `unreadable`: unknown. */
export type ObjectSeen =
  | 'unreadable'
  | 'nothing_in_range'
  | 'in_range'
  /** The object itself says nothing inside the range. The instance was found by expanding its series. */
  | 'followed_into_range';

export interface StoredObject {
  readonly place: DocumentPlace;
  readonly etag: string;
  readonly ics: string;
  /** The calendar that contains the object. */
  readonly calendar: CalendarInfo;
}

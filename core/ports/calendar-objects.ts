import type { CalendarInfo, DocumentPlace } from './calendar.ts';
import type { MailCall, Start } from './mail.ts';

/**
 * A store of iCalendar objects (RFC 5545) with ETags, such as a CalDAV server. It moves text and reads none of it:
 * `objectCalendar` makes a Calendar of it. One object serves all accounts; failures are MailErrors.
 */
export interface CalendarObjects {
  /** As `calendars` and `target` of Calendar. */
  calendars(call: MailCall): Promise<readonly CalendarInfo[]>;
  target(call: MailCall): Promise<CalendarInfo | undefined>;

  /**
   * Every object that may touch the time from `from` to `to`, and perhaps others, one calendar after the other. What
   * is given is not kept: the objects of all calendars need not be in memory together.
   */
  inRange(
    call: MailCall,
    range: { readonly from: Date; readonly to: Date },
  ): AsyncIterable<ObjectsInCalendar>;

  /** The object with that UID, and perhaps others. Empty where there is none, or no calendar of that name. */
  withUid(
    call: MailCall,
    key: { readonly calendar: string; readonly uid: string },
  ): Promise<readonly StoredObject[]>;

  /** As `write` and `remove` of Calendar; the document is `ics`, byte for byte. */
  write(
    call: MailCall,
    object: DocumentPlace & { readonly ics: string; readonly ifMatch: string | null },
    start: Start,
  ): Promise<void>;
  remove(call: MailCall, object: DocumentPlace & { readonly ifMatch: string }, start: Start): Promise<void>;

  forget(ownerId: string, accountId: number): Promise<void>;
  close(): Promise<void>;
}

/** What a calendar holds of a range. */
export interface ObjectsInCalendar {
  /** `calendar` of its CalendarInfo. */
  readonly calendar: string;
  /** The text of each. */
  readonly objects: readonly string[];
  /** How many more there are that the server fails to give. */
  readonly missing: number;
  /** Takes what reading showed of `objects`, in their order, so that the next list can request less. */
  learn?(seen: readonly ObjectSeen[]): void;
}

/** What an object turned out to hold. `unreadable`: nobody knows. */
export type ObjectSeen =
  | 'unreadable'
  | 'nothing_in_range'
  | 'in_range'
  /** Nothing that it says itself lies in the range: the instance was found by following its series. */
  | 'followed_into_range';

export interface StoredObject {
  readonly place: DocumentPlace;
  readonly etag: string;
  readonly ics: string;
  /** The one that it lies in. */
  readonly calendar: CalendarInfo;
}

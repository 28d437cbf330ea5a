/** What identifies an event, even after its place on the server changes. */
export interface EventKey {
  /** The `calendar` field of a CalendarInfo. */
  readonly calendar: string;
  /** RFC 5545 UID. */
  readonly uid: string;
  /**
   * For an instance of a series, its RECURRENCE-ID: `20261121T090000Z` (UTC) with a zone, `20261121T090000` if
   * floating, `20261121` if all-day.
   */
  readonly recurrenceId: string | null;
  /**
   * The name of its document, if a list found the same event in several: RFC 4791 forbids that, and DAViCal, sabre/dav
   * and others store it. Absent: the calendar, UID and RECURRENCE-ID identify it.
   */
  readonly documentName?: string;
}

export interface CalendarEvent extends EventKey {
  readonly title: string;
  /** Null: it is the owner's own, or nobody is named. */
  readonly organizer: Participant | null;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  readonly allDay: boolean;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly recurring: boolean;
  /** Parts of the document that could not be read. The event is shown without them. */
  readonly leftOut: readonly LeftOut[];
}

/** An event of one document. */
export type ExpandedEvent = Omit<CalendarEvent, 'calendar'>;

/** What one document has in a range. */
export interface Expansion {
  readonly events: readonly ExpandedEvent[];
  /** A series has more instances in the range than are shown, or could not be expanded to its end. */
  readonly cut: boolean;
  /** The object itself says nothing near the range. Its events were found by expanding a series. */
  readonly isFollowed: boolean;
}

export interface RangeQuery {
  readonly from: Date;
  readonly to: Date;
  /** The owner's IANA zone, for all-day events, floating times and times in an unknown zone. */
  readonly timezone: string;
}

/**
 * iCalendar properties of which a part was not understood. TZID: the zone of a time is not certain. An unknown one is read
 * as the owner's, and an abbreviation such as IST as one of those that it may mean. VTIMEZONE: the document describes the
 * zone differently from the one of that name, which is used. UID: the event has none, so it cannot be changed. VEVENT is
 * another event of the same document, OTHER any other line.
 */
export const LEFT_OUT = [
  'DTSTART',
  'DTEND',
  'DURATION',
  'RECURRENCE-ID',
  'TZID',
  'RRULE',
  'EXRULE',
  'RDATE',
  'EXDATE',
  'VTIMEZONE',
  'UID',
  'VEVENT',
  'OTHER',
] as const;

export type LeftOut = (typeof LEFT_OUT)[number];

/** An event, as far as the owner sees it and others are notified of it. */
export interface EventFacts extends Omit<CalendarEvent, 'calendar' | 'documentName' | 'leftOut'> {
  /** Rises with each change. */
  readonly sequence: number;
  readonly location: string;
  readonly description: string;
  readonly attendees: readonly Attendee[];
}

export interface Participant {
  /** The address. If servers cannot generally deliver to it, the whole URI. */
  readonly address: string;
  readonly isMail: boolean;
  /** The name in the document. Empty if it has none. */
  readonly name: string;
}

export interface Attendee extends Participant {
  readonly agent: Agent;
  readonly answer: Answer;
  readonly role: Role;
}

/** PARTSTAT and ROLE (RFC 5545 3.2.12, 3.2.16), in upper case. Unknown values count as the first one. */
export const ANSWERS = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED'] as const;

export const ROLES = ['REQ-PARTICIPANT', 'OPT-PARTICIPANT', 'NON-PARTICIPANT', 'CHAIR'] as const;

export type Answer = (typeof ANSWERS)[number];

export type Role = (typeof ROLES)[number];

/** Who notifies an attendee (SCHEDULE-AGENT, RFC 6638 7.1): the calendar's server, Countersign, or nobody. */
export const AGENTS = ['server', 'client', 'none'] as const;

export type Agent = (typeof AGENTS)[number];

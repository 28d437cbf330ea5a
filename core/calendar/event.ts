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
  /** What its document says and nobody can read; the event is shown without it. */
  readonly leftOut: readonly LeftOut[];
}

export interface RangeQuery {
  readonly from: Date;
  readonly to: Date;
  /** The owner's IANA zone, for all-day events, floating times and times in an unknown zone. */
  readonly timezone: string;
}

/** Properties of iCalendar; VEVENT is another event of the same document, OTHER any other line. */
export const LEFT_OUT = ['DTEND', 'RRULE', 'RDATE', 'EXDATE', 'VEVENT', 'OTHER'] as const;

export type LeftOut = (typeof LEFT_OUT)[number];

/** What an event says, as far as the owner is shown it and others are told it. */
export interface EventFacts extends Omit<CalendarEvent, 'calendar' | 'leftOut'> {
  /** Rises with each change. */
  readonly sequence: number;
  readonly location: string;
  readonly description: string;
  readonly organizer: Participant | null;
  readonly attendees: readonly Attendee[];
}

export interface Participant {
  /** The address; where it is none that every server can be given, the whole URI. */
  readonly address: string;
  readonly isMail: boolean;
  /** As the document calls them; empty where it does not. */
  readonly name: string;
}

export interface Attendee extends Participant {
  readonly agent: Agent;
  readonly answer: Answer;
  readonly role: Role;
}

/** PARTSTAT and ROLE (RFC 5545 3.2.12, 3.2.16), in upper case; any other value means the first. */
export const ANSWERS = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED'] as const;

export const ROLES = ['REQ-PARTICIPANT', 'OPT-PARTICIPANT', 'NON-PARTICIPANT', 'CHAIR'] as const;

export type Answer = (typeof ANSWERS)[number];

export type Role = (typeof ROLES)[number];

/** Who tells an attendee of the event (SCHEDULE-AGENT, RFC 6638 7.1): the calendar's server, Countersign, or nobody. */
export const AGENTS = ['server', 'client', 'none'] as const;

export type Agent = (typeof AGENTS)[number];

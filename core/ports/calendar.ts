import type { MailCall } from './mail.ts';

/** What core asks of a calendar. One object serves all accounts; failures are MailErrors, as the mailbox's are. */
export interface Calendar {
  /** Every event that touches the time from `from` to `to`, recurring ones expanded, earliest first. */
  list(call: MailCall, query: { from: Date; to: Date; timezone: string }): Promise<readonly CalendarEvent[]>;
  close(): Promise<void>;
}

export interface CalendarEvent {
  /** Names the calendar within the account. */
  readonly calendar: string;
  /** RFC 5545 UID, and the RECURRENCE-ID of an instance of a series. */
  readonly uid: string;
  readonly recurrenceId: string | null;
  readonly title: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly recurring: boolean;
}

import type { UnusableCalendar } from '../ports/calendar.ts';

/** Why Countersign cannot use a calendar, for the owner. Follows its name. */
export const WHY_UNUSABLE: Readonly<Record<UnusableCalendar['reason'], string>> = {
  refused: 'cannot be read: its server refuses.',
  subscribed: 'is subscribed. Countersign reads the calendars that the server keeps itself.',
  no_events: 'cannot hold events.',
};

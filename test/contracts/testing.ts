/** The contract suites for adapter authors. Run with vitest, they show whether an adapter is correct. */

export { type CalendarSection, type CalendarUnderTest, calendarContract } from './calendar.ts';
export { type CalendarObjectsUnderTest, calendarObjectsContract } from './calendar-objects.ts';
export { type MailDifferences, type MailSection, type MailUnderTest, mailContract } from './mail.ts';
export { type MailIndexUnderTest, mailIndexContract } from './mail-index.ts';
export { type StorageUnderTest, storageContract } from './storage.ts';
export { race } from './storage-racer.ts';

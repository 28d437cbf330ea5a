/** The contract suites, for authors of adapters: each says, under vitest, whether an adapter is right. */

export { type CalendarUnderTest, calendarContract } from './calendar.ts';
export { type MailUnderTest, mailContract } from './mail.ts';
export { storageContract } from './storage.ts';

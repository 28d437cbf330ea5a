/** A small mailbox and a calendar in memory, with sample data: for a demo, for trials, for tests. */
export { type SandboxCalendar, type SandboxCalendarOptions, sandboxCalendar } from './calendar.ts';
export type { Transmission } from './journalled-mail.ts';
export { type SandboxMail, type SandboxOptions, sandboxMail } from './mail.ts';
export type { SampleEvent } from './sample-events.ts';
export type { SampleAttachment, SampleMessage } from './sample-message.ts';

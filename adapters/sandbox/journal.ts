import { Buffer } from 'node:buffer';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';

/** What happened in a sandbox, in order: one JSON object per line. Bytes are base64. */

const account = { ownerId: z.string(), accountId: z.int() };
const instant = z.iso.datetime();
const flag = z.enum(['seen', 'flagged', 'answered', 'forwarded', 'draft']);

/** What happened in the sandbox's mailboxes. */
export const mailEntry = z.discriminatedUnion('event', [
  /** The reference time of the sample mail. */
  z.strictObject({ event: z.literal('opened'), at: instant }),
  z.strictObject({
    event: z.literal('transmitted'),
    ...account,
    messageId: z.string(),
    requestId: z.string().nullable(),
    to: z.array(z.string()),
    date: instant,
    raw: z.base64(),
  }),
  z.strictObject({
    event: z.literal('appended'),
    ...account,
    path: z.string(),
    receivedAt: instant,
    flags: z.array(flag),
    raw: z.base64(),
  }),
  z.strictObject({
    event: z.literal('flagged'),
    ...account,
    path: z.string(),
    uid: z.int(),
    flag,
    on: z.boolean(),
  }),
  z.strictObject({
    event: z.literal('moved'),
    ...account,
    path: z.string(),
    uid: z.int(),
    to: z.string(),
  }),
  z.strictObject({
    event: z.literal('labelled'),
    ...account,
    path: z.string(),
    uid: z.int(),
    label: z.string(),
  }),
  z.strictObject({ event: z.literal('folder'), ...account, path: z.string() }),
]);

export type JournalEntry = z.infer<typeof mailEntry>;

/** What happened in the sandbox's calendars. */
export const calendarEntry = z.discriminatedUnion('event', [
  /** The reference time of the sample events. */
  z.strictObject({ event: z.literal('opened'), at: instant }),
  z.strictObject({ event: z.literal('stored'), ...account, name: z.string(), ics: z.string() }),
  z.strictObject({ event: z.literal('removed'), ...account, name: z.string() }),
]);

export type CalendarJournalEntry = z.infer<typeof calendarEntry>;

export interface Journal<Entry> {
  /** The entries of the file when it was opened. */
  readonly entries: readonly Entry[];
  /** Writes an entry to disk before it returns. */
  append(entry: Entry): void;
  close(): void;
}

/**
 * Opens the journal, and creates it if there is none. Without a file, it forgets everything when the process
 * ends. A last line without its end was cut off when the process was killed: it never happened, and is
 * removed.
 * @throws Error naming the line that cannot be read
 */
export function openJournal<Entry>(file: string | undefined, schema: z.ZodType<Entry>): Journal<Entry> {
  if (file === undefined) return { entries: [], append: () => {}, close: () => {} };
  const written = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const whole = written.subarray(0, written.lastIndexOf(0x0a) + 1);
  const lines = whole.toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map((line, index) => readEntry(schema, line, `${file}:${index + 1}`));
  const handle = openSync(file, 'a', 0o600);
  ftruncateSync(handle, whole.length);
  return {
    entries,
    append(entry) {
      writeSync(handle, `${JSON.stringify(entry)}\n`);
      fsyncSync(handle);
    },
    close: () => closeSync(handle),
  };
}

/** Writes an entry down. @throws MailError `outcome_unknown` if the journal cannot be written: part of it may be */
export function record<Entry>(journal: Journal<Entry>, entry: Entry): void {
  try {
    journal.append(entry);
  } catch (cause) {
    throw new MailError('outcome_unknown', 'The journal of the sandbox cannot be written.', { cause });
  }
}

function readEntry<Entry>(schema: z.ZodType<Entry>, line: string, where: string): Entry {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`The sandbox's journal cannot be read at ${where}`, { cause });
  }
}

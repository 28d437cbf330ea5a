import { Buffer } from 'node:buffer';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';

/** What happened in a sandbox, in order: one JSON object a line. Bytes are base64. */

const account = { ownerId: z.string(), accountId: z.int() };
const instant = z.iso.datetime();
const flag = z.enum(['seen', 'flagged', 'answered', 'forwarded']);

const entrySchema = z.discriminatedUnion('event', [
  /** The instant that the sample mail is dated from. */
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
]);

export type JournalEntry = z.infer<typeof entrySchema>;

export interface Journal {
  /** What the file held when it was opened. */
  readonly entries: readonly JournalEntry[];
  /** On disk when it returns. */
  append(entry: JournalEntry): void;
  close(): void;
}

/**
 * Opens the journal, made when there is none. A last line without its end was being written when the process
 * was killed: it never happened, and is removed.
 * @throws Error naming the line that cannot be read
 */
export function fileJournal(file: string): Journal {
  const written = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const whole = written.subarray(0, written.lastIndexOf(0x0a) + 1);
  const lines = whole.toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map((line, index) => readEntry(line, `${file}:${index + 1}`));
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

/** Forgets everything with the process. */
export function noJournal(): Journal {
  return { entries: [], append: () => {}, close: () => {} };
}

function readEntry(line: string, where: string): JournalEntry {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`The sandbox's journal cannot be read at ${where}`, { cause });
  }
}

import { unavailable } from '../contract/unavailable.ts';
import type { MessagePlace } from '../mail/listed-message.ts';
import { boundedHeaders, parseHeaders } from '../mail/message-headers.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { type MessageSource, SOURCE_BYTES } from '../mail/message-source.ts';
import { UNPROTECTED } from '../mail/protection.ts';
import { batchesOf } from '../memory/batches.ts';
import type { MailCall } from '../ports/mail.ts';
import type { Reading, ReadingFor, UnreadableReason } from '../ports/reader.ts';
import type { JobInput, JobName, JobOutput } from '../reading/jobs.ts';
import type { MessageInput, MessageReading } from '../reading/message-job.ts';
import { seenBody, type TextWindow } from '../text/seen-body.ts';
import type { LookUpPorts } from './tool-ports.ts';

/** Reads messages as a person sees them. If one cannot be read, says why. */

export interface ReadMessage extends MessageReading {
  /** Null: the message was read. Otherwise the body gives the reason, and no attachments are known. */
  readonly unreadable: WhyNotRead | null;
}

type WhyNotRead = UnreadableReason | 'undeliverable';

const NOT_READ: Readonly<Record<WhyNotRead, string>> = {
  too_slow: '[The text of this message cannot be shown: it takes too long to read.]',
  too_large: '[The text of this message cannot be shown: it takes too much memory to read.]',
  broken: '[The text of this message cannot be shown: reading it failed.]',
  undeliverable: '[The text of this message cannot be shown: the mail server cannot deliver it.]',
};

/**
 * Runs one job of the reader.
 * @throws ServiceError `temporarily_unavailable` if the caller's time ends first
 */
export async function readWithin<K extends JobName>(
  { reader }: Pick<LookUpPorts, 'reader'>,
  { ownerId, signal }: ReadingFor,
  job: K,
  input: JobInput<K>,
): Promise<Reading<JobOutput<K>>> {
  try {
    return await reader.read(job, input, { ownerId, signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw unavailable(cause);
  }
}

export function readingOf({ account, signal }: Pick<MailCall, 'account' | 'signal'>): ReadingFor {
  return { ownerId: account.ownerId, signal };
}

/** The row of a message that was read: only its whole header tells who proved its sender. */
export function withResults(row: MessageRow, { headers: { receiverResults } }: ReadMessage): MessageRow {
  return receiverResults === undefined ? row : { ...row, receiverResults };
}

/** Adapters that keep messages in memory return the same bytes every time: asked alike, each is read once. */
const KNOWN = new WeakMap<Uint8Array, { readonly asked: string; readonly read: ReadMessage }>();

function knownReading(message: MessageInput): ReadMessage | undefined {
  const known = message.source.kind === 'whole' ? KNOWN.get(message.source.bytes) : undefined;
  return known?.asked === askedOf(message) ? known.read : undefined;
}

function keptReading(message: MessageInput, reading: MessageReading): ReadMessage {
  const read = { ...reading, unreadable: null };
  if (message.source.kind === 'whole') KNOWN.set(message.source.bytes, { asked: askedOf(message), read });
  return read;
}

function askedOf({ window, head }: MessageInput): string {
  return JSON.stringify([window.from, window.most, head]);
}

/** @throws ServiceError as `readWithin` does */
export async function readMessage(
  ports: Pick<LookUpPorts, 'reader'>,
  reading: ReadingFor,
  message: MessageInput,
): Promise<ReadMessage> {
  const known = knownReading(message);
  if (known !== undefined) return known;
  const read = await readWithin(ports, reading, 'message', message);
  return read.kind === 'read' ? keptReading(message, read.value) : unread(message, read.reason);
}

/** Of the header of an unreadable message, which is read here, without the reader. */
const HEADER_BYTES = 32 * 1024;

function unread({ source, window }: MessageInput, unreadable: WhyNotRead): ReadMessage {
  const [bytes = new Uint8Array()] = source.kind === 'whole' ? [source.bytes] : source.texts;
  return {
    body: seenBody(NOT_READ[unreadable], window),
    attachments: [],
    protection: UNPROTECTED,
    headers: boundedHeaders(parseHeaders(bytes.subarray(0, HEADER_BYTES))),
    unreadable,
  };
}

/** From this time after the start of a call, reading of several messages stops, so that the call can still respond. */
const READING_MS = 10_000;

/** The end of reading time for a call. */
export function readingUntilMs({ now }: { readonly now: Date }): number {
  return now.getTime() + READING_MS;
}

/** The bytes fetched at once, unless a single message is larger. */
const BATCH_BYTES = 32 * 1024 * 1024;

/**
 * Reads several messages of one account, in the order of `wanted`; undefined for messages that no longer exist. Only
 * one batch is in memory at a time, besides what the caller keeps of each message.
 * @param untilMs messages that start later are `too_slow` without being tried, so that the call can still respond
 */
export async function* readMessages(
  ports: Pick<LookUpPorts, 'reader' | 'clock'> & { readonly mail: SourceReader },
  call: MailCall,
  wanted: readonly WantedMessage[],
  { window, untilMs }: { readonly window: TextWindow; readonly untilMs: number },
): AsyncGenerator<ReadMessage | undefined> {
  const isLate = () => ports.clock.now().getTime() > untilMs;
  const none = { kind: 'whole', bytes: new Uint8Array() } as const;
  const reading = readingOf(call);
  // Only parts of a larger message are fetched.
  const fetchedBytes = ({ sizeBytes }: WantedMessage) => Math.min(sizeBytes, SOURCE_BYTES);
  for (const batch of batchesOf(wanted, fetchedBytes, { size: BATCH_BYTES })) {
    const places = batch.map(({ place }) => place);
    const fetched = isLate() ? undefined : await ports.mail.readAll(call, places);
    const messages = batch.map(({ head }, index) => {
      const source = fetched === undefined ? none : fetched[index]?.source;
      return source && { source, window, ...(head === undefined ? {} : { head }) };
    });
    const together = fetched && (await readTogether(ports, reading, messages));
    for (const [index, message] of messages.entries()) {
      const isUndeliverable = fetched?.[index]?.row?.undeliverable === true;
      const read = message && together?.get(message);
      if (message !== undefined && isUndeliverable) yield unread(message, 'undeliverable');
      else if (message === undefined || read !== undefined) yield read;
      else if (fetched === undefined || isLate()) yield unread(message, 'too_slow');
      else yield await readMessage(ports, reading, message);
    }
  }
}

/** Messages up to this size are read together, as many as take no more than this together. */
const SHORT_BYTES = 64 * 1024;
const TOGETHER_BYTES = 512 * 1024;

/**
 * Reads the first short messages of these together. Returns none if that takes too long. Each is then read by itself.
 */
async function readTogether(
  ports: Pick<LookUpPorts, 'reader'>,
  reading: ReadingFor,
  messages: readonly (MessageInput | undefined)[],
): Promise<ReadonlyMap<MessageInput, ReadMessage>> {
  let bytes = 0;
  const short = messages.filter((message): message is MessageInput => {
    if (message?.source.kind !== 'whole' || message.source.bytes.length > SHORT_BYTES) return false;
    if (knownReading(message) !== undefined) return false;
    bytes += message.source.bytes.length;
    return bytes <= TOGETHER_BYTES;
  });
  if (short.length < 2) return new Map();
  const read = await readWithin(ports, reading, 'messages', short);
  if (read.kind === 'unreadable') return new Map();
  return new Map(
    read.value.flatMap((one, index) => {
      const message = short[index];
      return message === undefined ? [] : [[message, keptReading(message, one)]];
    }),
  );
}

interface FetchedSource {
  readonly source: MessageSource;
  readonly row?: Pick<MessageRow, 'undeliverable'>;
}

interface SourceReader {
  readAll(call: MailCall, places: readonly MessagePlace[]): Promise<readonly (FetchedSource | undefined)[]>;
}

interface WantedMessage extends Pick<MessageRow, 'place' | 'sizeBytes'> {
  /** As `MessageInput` has it. */
  readonly head?: string;
}

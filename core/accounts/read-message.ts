import { ServiceError } from '../contract/errors.ts';
import type { MessagePlace } from '../mail/listed-message.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { type MessageSource, SOURCE_BYTES } from '../mail/message-source.ts';
import { parseHeaders } from '../mail/parse.ts';
import type { MailCall } from '../ports/mail.ts';
import type { Reading, UnreadableReason } from '../ports/reader.ts';
import type { JobInput, JobName, JobOutput } from '../reading/jobs.ts';
import { boundedHeaders, type MessageReading, seenBody, type TextWindow } from '../reading/message-job.ts';
import type { LookUpPorts } from './tool-ports.ts';

/** Messages as a person sees them, or what can be said of those that cannot be read. */

export interface ReadMessage extends MessageReading {
  /** Null: it was read. Otherwise the body says why it was not, and no attachment is known. */
  readonly unreadable: UnreadableReason | null;
}

const NOT_READ: Readonly<Record<UnreadableReason, string>> = {
  too_slow: '[The text of this message cannot be shown: it takes too long to read.]',
  too_large: '[The text of this message cannot be shown: it takes too much memory to read.]',
  broken: '[The text of this message cannot be shown: reading it failed.]',
};

/**
 * Runs one job of the reader.
 * @throws ServiceError `temporarily_unavailable` when the caller's time is over before it is done
 */
export async function readWithin<K extends JobName>(
  { reader }: Pick<LookUpPorts, 'reader'>,
  signal: AbortSignal,
  job: K,
  input: JobInput<K>,
): Promise<Reading<JobOutput<K>>> {
  try {
    return await reader.read(job, input, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new ServiceError('temporarily_unavailable', { details: { retry_after_s: RETRY_AFTER_S }, cause });
  }
}

const RETRY_AFTER_S = 5;

/** @throws ServiceError as `readWithin` does */
export async function readMessage(
  ports: Pick<LookUpPorts, 'reader'>,
  signal: AbortSignal,
  source: MessageSource,
  window: TextWindow,
): Promise<ReadMessage> {
  const reading = await readWithin(ports, signal, 'message', { source, window });
  return reading.kind === 'read'
    ? { ...reading.value, unreadable: null }
    : unread(source, reading.reason, window);
}

/** What is read here of a message that the reader cannot read: no more than of a short one. */
const HEADER_BYTES = 32 * 1024;

function unread(source: MessageSource, unreadable: UnreadableReason, window: TextWindow): ReadMessage {
  const [bytes = new Uint8Array()] = source.kind === 'whole' ? [source.bytes] : source.texts;
  return {
    body: seenBody(NOT_READ[unreadable], window),
    attachments: [],
    headers: boundedHeaders(parseHeaders(bytes.subarray(0, HEADER_BYTES))),
    unreadable,
  };
}

/** So long after a call began, none of several messages is begun to be read: what was read can still be answered. */
const READING_MS = 10_000;

/** `untilMs` for the call. */
export function readingUntilMs({ now }: { readonly now: Date }): number {
  return now.getTime() + READING_MS;
}

/** What is fetched at once, unless a single message is larger. */
const BATCH_BYTES = 32 * 1024 * 1024;

/**
 * Reads several messages of one account, in the order of `wanted`; undefined for those that are gone. A batch of them
 * is in memory at a time, besides what the caller keeps of each.
 * @param untilMs from then on messages are `too_slow` without being tried, so that the others can still be answered
 */
export async function* readMessages(
  ports: Pick<LookUpPorts, 'reader' | 'clock'> & { readonly mail: SourceReader },
  call: MailCall,
  wanted: readonly WantedMessage[],
  { window, untilMs }: { readonly window: TextWindow; readonly untilMs: number },
): AsyncGenerator<ReadMessage | undefined> {
  const isLate = () => ports.clock.now().getTime() > untilMs;
  const none = { kind: 'whole', bytes: new Uint8Array() } as const;
  for (const batch of batchesOf(wanted)) {
    const places = batch.map(({ place }) => place);
    const fetched = isLate() ? undefined : await ports.mail.readAll(call, places);
    for (const index of batch.keys()) {
      if (fetched === undefined || isLate()) {
        yield unread(fetched?.[index]?.source ?? none, 'too_slow', window);
        continue;
      }
      const message = fetched[index];
      yield message && (await readMessage(ports, call.signal, message.source, window));
    }
  }
}

interface SourceReader {
  readAll(
    call: MailCall,
    places: readonly MessagePlace[],
  ): Promise<readonly ({ readonly source: MessageSource } | undefined)[]>;
}

type WantedMessage = Pick<MessageRow, 'place' | 'sizeBytes'>;

function batchesOf(wanted: readonly WantedMessage[]): WantedMessage[][] {
  const batches: WantedMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of wanted) {
    // Of a larger message only some parts are fetched.
    const fetchedBytes = Math.min(one.sizeBytes, SOURCE_BYTES);
    bytes += fetchedBytes;
    if (bytes > BATCH_BYTES) {
      batches.push([]);
      bytes = fetchedBytes;
    }
    batches.at(-1)?.push(one);
  }
  return batches;
}

import { Buffer } from 'node:buffer';
import type { FetchMessageObject, FetchQueryObject, ImapFlow } from 'imapflow';
import { boundedFields } from '../../core/mail/bounded-fields.ts';
import { readHeaders } from '../../core/mail/header-fields.ts';
import { dateOf } from '../../core/mail/row-text.ts';

/** What a FETCH reports of a message. Any part of it may be NIL, or not there: then it is undefined. */
export interface Fetched
  extends Pick<FetchMessageObject, 'uid' | 'size' | 'flags' | 'labels' | 'bodyStructure' | 'bodyParts'> {
  readonly internalDate?: Date | undefined;
  readonly emailId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly headers?: Buffer | undefined;
  readonly source?: Buffer | undefined;
}

/** Fetches a range of UIDs, or of sequence numbers, one message after another. */
export async function* fetched(
  client: ImapFlow,
  range: string,
  query: FetchQueryObject,
  by: { readonly uid: boolean } = { uid: true },
): AsyncGenerator<Fetched> {
  for await (const message of client.fetch(range, query, by)) yield withoutNil(message, query);
}

/** Fetches one message by its UID, or the last one (`*`). Undefined if it is gone. */
export async function fetchedOne(
  client: ImapFlow,
  uid: string,
  query: FetchQueryObject,
): Promise<Fetched | undefined> {
  const message = await client.fetchOne(uid, query, { uid: true });
  return message === false ? undefined : withoutNil(message, query);
}

/** imapflow has null or false for NIL, whatever its types say. */
function withoutNil(message: FetchMessageObject, query: FetchQueryObject): Fetched {
  const { internalDate, emailId, threadId, headers, source, bodyParts } = message;
  return {
    uid: message.uid,
    size: message.size,
    flags: message.flags,
    labels: message.labels,
    bodyStructure: message.bodyStructure,
    internalDate: internalDate instanceof Date && internalDate.getTime() !== 0 ? internalDate : undefined,
    emailId: textOf(emailId),
    threadId: textOf(threadId),
    headers: boundedHeaders(bytesOf(headers), query),
    source: bytesOf(source),
    bodyParts: bodyParts && new Map([...bodyParts].filter(([, bytes]) => Buffer.isBuffer(bytes))),
  };
}

function textOf(value: string | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function bytesOf(value: Buffer | undefined): Buffer | undefined {
  return Buffer.isBuffer(value) ? value : undefined;
}

/** Of all fields with one name: more than Postfix lets through in one (102,400). */
const FIELD_BYTES = 128 * 1024;

/**
 * Cuts header fields that were asked for by name, in lower case. Strangers decide how long they are, and imapflow cannot
 * fetch a part of them: so they are cut when they arrive, and a list holds no more than one message's whole.
 */
function boundedHeaders(
  headers: Buffer | undefined,
  { headers: names }: FetchQueryObject,
): Buffer | undefined {
  if (headers === undefined || !Array.isArray(names) || headers.length <= FIELD_BYTES) return headers;
  return boundedFields(headers, names, FIELD_BYTES);
}

/** More than any Date field. */
const DATE_BYTES = 1000;

/** When a message without a date was received: before every other. */
export const UNKNOWN_DATE = new Date(0);

/**
 * When the server received the message: INTERNALDATE. A server that does not report it breaks its protocol; then the Date
 * field counts, and without one the message is the oldest.
 */
export function receivedAt({ internalDate, headers }: Pick<Fetched, 'internalDate' | 'headers'>): Date {
  if (internalDate !== undefined) return internalDate;
  if (headers === undefined) return UNKNOWN_DATE;
  const [date] = readHeaders(boundedFields(headers, ['date'], DATE_BYTES));
  return new Date(dateOf(date?.value ?? null, UNKNOWN_DATE));
}

import type { FetchQueryObject, ImapFlow } from 'imapflow';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import { type AttachmentSource, SOURCE_BYTES } from '../../core/mail/message-source.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import { deliveryRefusal, isNotFound } from './failure.ts';
import { fetchEach } from './fetch-each.ts';
import type { Fetched } from './fetched.ts';
import { fetchAttachmentPart, fetchParts } from './large-message.ts';
import { fetchMessage, ROW_QUERY, rowOf, undeliverableRow } from './rows.ts';
import type { OpenFolder } from './session.ts';
import { searchUids } from './uid-search.ts';

/** How much of a message is fetched: whole if it has at most `wholeBytes`, otherwise its texts. */
interface Extent {
  /** Of every message, fetched at first: enough for nearly every one without an attachment, which then takes one command. */
  readonly firstBytes: number;
  readonly wholeBytes: number;
}

const MESSAGE: Extent = { firstBytes: 256 * 1024, wholeBytes: SOURCE_BYTES };
/** For an index, which needs no attachments. */
const TEXTS: Extent = { firstBytes: 64 * 1024, wholeBytes: 64 * 1024 };

/** @throws MailError `not_found` */
export async function readMessage(folder: OpenFolder, place: MessagePlace): Promise<RawMessage> {
  let begun: Fetched;
  try {
    begun = await fetchMessage(folder, place, beginningFrom(folder, MESSAGE));
  } catch (error) {
    const message = await instead(folder, place, error, MESSAGE);
    if (message === undefined) throw error;
    return message;
  }
  return messageOf(folder, begun, MESSAGE);
}

/** Connections whose server refuses to deliver the beginning of a message. */
const withoutPartial = new WeakSet<ImapFlow>();

function beginningFrom({ client }: OpenFolder, { firstBytes }: Extent): FetchQueryObject {
  if (withoutPartial.has(client)) return ROW_QUERY;
  return { ...ROW_QUERY, source: { start: 0, maxLength: firstBytes } };
}

/**
 * Fetches a message whose beginning was refused as a whole. From then on, the others too.
 * @returns undefined if the server does not deliver that either, or has refused something else
 */
async function instead(
  folder: OpenFolder,
  place: MessagePlace,
  refusal: unknown,
  extent: Extent,
): Promise<RawMessage | undefined> {
  if (deliveryRefusal(refusal)?.isCertain !== true || withoutPartial.has(folder.client)) return undefined;
  try {
    const message = await messageOf(folder, await fetchMessage(folder, place, ROW_QUERY), extent);
    withoutPartial.add(folder.client);
    return message;
  } catch (error) {
    if (isNotFound(error) || isUndeliverable(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the server delivers a part of a message, tried with the last one of the folder.
 * @returns undefined if it delivers nothing of that message, or there is none
 */
export async function deliversParts(folder: OpenFolder): Promise<boolean | undefined> {
  const uid = (await searchUids(folder.client, { all: true })).at(-1);
  if (uid === undefined) return undefined;
  const place = { path: folder.mailbox.path, uidValidity: folder.uidValidity, uid };
  try {
    await fetchMessage(folder, place, { ...ROW_QUERY, source: { start: 0, maxLength: 1 } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (deliveryRefusal(error) === undefined) throw error;
    return (await instead(folder, place, error, MESSAGE)) === undefined ? undefined : false;
  }
}

function isUndeliverable(error: unknown): boolean {
  return error instanceof IncompleteMessage || deliveryRefusal(error)?.isCertain === true;
}

/** Yields the messages that exist. One that the server cannot deliver is empty, and its row says so. */
export function readMessages(folder: OpenFolder, uids: readonly number[]): AsyncGenerator<RawMessage> {
  return readEach(folder, uids, MESSAGE);
}

/** The same, without attachments. */
export function readTexts(folder: OpenFolder, uids: readonly number[]): AsyncGenerator<RawMessage> {
  return readEach(folder, uids, TEXTS);
}

async function* readEach(
  folder: OpenFolder,
  uids: readonly number[],
  extent: Extent,
): AsyncGenerator<RawMessage> {
  const beginning = beginningFrom(folder, extent);
  const { messages, undeliverable, refusal } = await fetchEach(folder.client, uids, beginning);
  for (const begun of messages) {
    const message = await messageUnlessGone(folder, begun, extent);
    if (message !== undefined) yield message;
  }
  for (const { uid } of undeliverable.slice(0, TRIES)) {
    const place = { path: folder.mailbox.path, uidValidity: folder.uidValidity, uid };
    const whole = await instead(folder, place, refusal, extent);
    if (whole === undefined) continue;
    yield whole;
    const others = undeliverable.map((message) => message.uid).filter((other) => other !== uid);
    yield* readEach(folder, others, extent);
    return;
  }
  for (const message of undeliverable) yield undelivered(folder, message);
}

/** Of messages that were refused, how many are fetched as a whole to see whether the server delivers that. */
const TRIES = 3;

function undelivered(folder: OpenFolder, message: Fetched): RawMessage {
  return { row: undeliverableRow(folder, message), source: { kind: 'whole', bytes: new Uint8Array() } };
}

/** Fetches the rest of a large message after its start. Undefined if the message is gone. */
async function messageUnlessGone(
  folder: OpenFolder,
  begun: Fetched,
  extent: Extent,
): Promise<RawMessage | undefined> {
  try {
    return await messageOf(folder, begun, extent);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isUndeliverable(error)) return undelivered(folder, begun);
    throw error;
  }
}

async function messageOf(
  folder: OpenFolder,
  begun: Fetched,
  { firstBytes, wholeBytes }: Extent,
): Promise<RawMessage> {
  const row = rowOf(folder, begun);
  const { source = Buffer.alloc(0) } = begun;
  const isBeginning = source.length >= firstBytes || withoutPartial.has(folder.client);
  if (isBeginning && row.sizeBytes > wholeBytes) {
    const parts = await fetchParts(folder, row.place, source);
    // A server that does not describe a message still delivers it.
    if (parts.kind !== 'parts' || !parts.isCut || row.sizeBytes > SOURCE_BYTES) return { row, source: parts };
  }
  const isAll =
    source.length >= row.sizeBytes || (inexactSizes.has(folder.client) && !isShort(source, row.sizeBytes));
  if (!isBeginning && isAll) return { row, source: { kind: 'whole', bytes: source } };
  const bytes = await fetchSource(folder, row.place, row.sizeBytes);
  if (bytes.length === source.length) inexactSizes.add(folder.client);
  return { row, source: { kind: 'whole', bytes } };
}

/** Connections whose server has delivered the same twice, less than the size that it reports: that is an estimate. */
const inexactSizes = new WeakSet<ImapFlow>();

/** The server delivered much less of a message than its size, whatever was asked for. */
class IncompleteMessage extends MailError {
  constructor() {
    super('unavailable', 'the IMAP server did not return the whole message');
  }
}

/** Sizes of some servers are estimates (Exchange, DavMail, WildDuck). None is that wrong. */
function isShort({ length }: Buffer, sizeBytes: number): boolean {
  return length < sizeBytes / 2;
}

/** @throws MailError `not_found` */
export async function readAttachment(
  folder: OpenFolder,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<AttachmentSource | undefined> {
  const { size = 0 } = await fetchMessage(folder, place, { size: true, internalDate: true });
  if (size > SOURCE_BYTES) return fetchAttachmentPart(folder, place, index, maxBytes);
  return { kind: 'whole', bytes: await fetchSource(folder, place, size) };
}

/** @throws MailError `unavailable` if the server returns much less than the size of the message */
async function fetchSource(folder: OpenFolder, place: MessagePlace, sizeBytes: number): Promise<Buffer> {
  const { source } = await fetchMessage(folder, place, { ...ROW_QUERY, source: true });
  if (source === undefined || isShort(source, sizeBytes)) throw new IncompleteMessage();
  return source;
}

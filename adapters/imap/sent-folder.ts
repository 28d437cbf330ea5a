import { setTimeout as delay } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import { REQUEST_FIELD } from '../../core/mail/compose.ts';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import { isSentTo, sentCopyOf } from '../../core/mail/sent-copy.ts';
import { MailError, timedOut } from '../../core/ports/mail.ts';
import { SENT_COPIES_MAX, SENT_COPY_FIELDS } from '../../core/ports/mail-reading.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import { writtenIdOf } from '../../core/provenance/written-id.ts';
import { fetched } from './fetched.ts';
import { fetchRowsOf } from './rows.ts';
import { change, type OpenFolder } from './session.ts';
import { searchUids, uidSets } from './uid-search.ts';

/** Implements `messageWithId` of the port. One of ours is found too if the server has replaced its Message-ID. */
export async function messageWithId(
  folder: OpenFolder,
  messageId: string,
): Promise<ListedMessage | undefined> {
  const { client, mailbox } = folder;
  if (mailbox.exists === 0) return undefined;
  // A header search matches parts: the whole id is compared here.
  const uids = await searchUids(client, { header: { 'message-id': messageId } });
  const rows = await fetchRowsOf(folder, uids);
  const found = rows.findLast((row) => messageRow(row).messageId === messageId);
  const writtenId = writtenIdOf(messageId);
  if (found !== undefined || writtenId === undefined) return found;
  const [first] = await copiesOfOurs(folder, writtenId);
  return first === undefined ? undefined : (await fetchRowsOf(folder, [first]))[0];
}

/** Servers keep no index of our header field and read each message: no more than the newest are looked through. */
const NEWEST_COPIES = 200;

/** @returns the UIDs of the newest copies of a message of ours, whatever their Message-ID, in ascending order */
function copiesOfOurs({ client, mailbox }: OpenFolder, writtenId: string): Promise<number[]> {
  const seq = `${Math.max(1, mailbox.exists - NEWEST_COPIES + 1)}:${mailbox.exists}`;
  return searchUids(client, { seq, header: { [REQUEST_FIELD]: writtenId } });
}

/** What an account's provider was seen to do with a message that it has sent. */
export interface Filing {
  /** Whether it saves the message in Sent by itself. Undefined: not known yet. */
  byProvider: boolean | undefined;
  /** The Message-ID of one that was saved here, and that the provider may have saved too, later. */
  unsure: string | undefined;
}

export function newFiling(): Filing {
  return { byProvider: undefined, unsure: undefined };
}

/** Runs work in the folder. */
export type OpenSent = <T>(work: (folder: OpenFolder) => Promise<T>) => Promise<T>;

/** How long a provider gets to save a message by itself: before it is known whether it does, and if it does. */
const PAUSES_MS = { unknown: [5_000], known: [2_000, 4_000, 8_000, 16_000] } as const;

/**
 * Implements `saveSent` of the port: appends the message, unless it is in the folder or comes there soon.
 * @param filing  of the account; completed here
 */
export async function saveOnce(
  message: Outgoing,
  filing: Filing,
  inSent: OpenSent,
  limit: AbortSignal,
): Promise<void> {
  await lookBack(message, filing, inSent);
  for (const pauseMs of pausesMs(filing)) {
    if (await inSent((folder) => isSaved(folder, message))) {
      filing.byProvider = true;
      return;
    }
    await delay(pauseMs, undefined, { signal: limit }).catch(() => {
      throw timedOut();
    });
  }
  const how = await inSent(async (folder) =>
    (await isSaved(folder, message)) ? 'by provider' : append(folder, message),
  );
  // An OK does not say where it is, without UIDPLUS.
  if (how === 'unseen' && !(await inSent((folder) => isSaved(folder, message)))) throw notSaved();
  const isByProvider = how === 'by provider';
  if (filing.byProvider === false) return;
  filing.byProvider = isByProvider;
  if (!isByProvider) filing.unsure = message.messageId;
}

function pausesMs({ byProvider }: Filing): readonly number[] {
  if (byProvider === false) return [];
  return byProvider === undefined ? PAUSES_MS.unknown : PAUSES_MS.known;
}

/** Learns from the first message that was saved here whether the provider has saved it, too, after all. */
async function lookBack({ messageId }: Outgoing, filing: Filing, inSent: OpenSent): Promise<void> {
  const writtenId = filing.unsure === undefined ? undefined : writtenIdOf(filing.unsure);
  if (writtenId === undefined || filing.unsure === messageId) return;
  if ((await inSent((folder) => copiesOfOurs(folder, writtenId))).length > 1) filing.byProvider = true;
  filing.unsure = undefined;
}

async function isSaved(folder: OpenFolder, { messageId }: Outgoing): Promise<boolean> {
  return (await messageWithId(folder, messageId)) !== undefined;
}

/**
 * @returns `unseen`: the server does not say where it is
 * @throws MailError `refused` if the server does not save it
 */
async function append({ client, mailbox }: OpenFolder, message: Outgoing): Promise<'saved' | 'unseen'> {
  const bytes = Buffer.from(message.bytes);
  const saved = await change(client, () => client.append(mailbox.path, bytes, ['\\Seen'], message.date));
  if (saved === undefined) throw notSaved();
  return saved.uid === undefined ? 'unseen' : 'saved';
}

function notSaved(): MailError {
  return new MailError('refused', 'the IMAP server did not save the sent message');
}

/** How many messages are fetched at once. */
const BATCH = 50;

/** Implements `sentCopies` of the port. @param own  the account's address */
export async function copiesTo(
  { client, mailbox }: OpenFolder,
  own: string,
  addresses: readonly string[],
): Promise<readonly Uint8Array[]> {
  let found: readonly Uint8Array[] = [];
  if (mailbox.exists === 0) return found;
  for (const address of new Set(addresses)) {
    let copies: readonly Uint8Array[] = [];
    // A search of To, Cc and Bcc matches parts: the parsed addresses decide.
    let uids = await searchUids(client, {
      from: own,
      or: [{ to: address }, { cc: address }, { bcc: address }],
    });
    while (uids.length > 0 && copies.length < SENT_COPIES_MAX) {
      const newest = await fetchCopies(client, uids.slice(-BATCH));
      copies = [...copies, ...newest.filter((header) => isSentTo(sentCopyOf(header), address))];
      uids = uids.slice(0, -BATCH);
    }
    found = [...found, ...copies.slice(0, SENT_COPIES_MAX)];
  }
  return found;
}

/** Fetches their headers, the highest UID first. Leaves out messages that are gone. */
async function fetchCopies(client: ImapFlow, uids: readonly number[]): Promise<readonly Uint8Array[]> {
  const query = { uid: true, headers: [...SENT_COPY_FIELDS] };
  const copies = new Map<number, Uint8Array>();
  for (const set of uidSets(uids)) {
    for await (const { uid, headers } of fetched(client, set, query)) {
      if (headers !== undefined) copies.set(uid, headers);
    }
  }
  return [...copies].sort(([a], [b]) => b - a).map(([, header]) => header);
}

import type { ImapFlow } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import { isSentTo, sentCopyOf } from '../../core/mail/sent-copy.ts';
import { MailError } from '../../core/ports/mail.ts';
import { SENT_COPIES_MAX, SENT_COPY_FIELDS } from '../../core/ports/mail-reading.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import { fetched } from './fetched.ts';
import { fetchRowsOf } from './rows.ts';
import { change, type OpenFolder } from './session.ts';
import { searchUids, uidSets } from './uid-search.ts';

/** Implements `messageWithId` of the port. */
export async function messageWithId(
  folder: OpenFolder,
  messageId: string,
): Promise<ListedMessage | undefined> {
  const { client, mailbox } = folder;
  if (mailbox.exists === 0) return undefined;
  // A header search matches parts: the whole id is compared here.
  const uids = await searchUids(client, { header: { 'message-id': messageId } });
  const rows = await fetchRowsOf(folder, uids);
  return rows.findLast((row) => messageRow(row).messageId === messageId);
}

/** Appends the message unless it is already in the folder. */
export async function saveOnce(folder: OpenFolder, message: Outgoing): Promise<void> {
  if ((await messageWithId(folder, message.messageId)) !== undefined) return;
  const { client, mailbox } = folder;
  const bytes = Buffer.from(message.bytes);
  const saved = await change(client, () => client.append(mailbox.path, bytes, ['\\Seen'], message.date));
  if (saved === undefined) throw new MailError('refused', 'the IMAP server did not save the sent message');
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

import type { ImapFlow, MessageAddressObject } from 'imapflow';
import { withDate } from '../../core/mail/compose.ts';
import { MailError, type Outgoing } from '../../core/ports/mail.ts';
import { searchUids, uidSets } from './rows.ts';
import { change, type OpenFolder } from './session.ts';

export async function holdsMessageId({ client, mailbox }: OpenFolder, messageId: string): Promise<boolean> {
  if (mailbox.exists === 0) return false;
  // A header is searched for by a part of it: the whole id is compared here.
  const uids = await searchUids(client, { header: { 'message-id': messageId } });
  for (const set of uidSets(uids)) {
    const messages = await client.fetchAll(set, { envelope: true }, { uid: true });
    if (messages.some(({ envelope }) => envelope?.messageId === messageId)) return true;
  }
  return false;
}

/** Appends the message unless the folder holds it already. */
export async function saveOnce(folder: OpenFolder, message: Outgoing): Promise<void> {
  if (await holdsMessageId(folder, message.messageId)) return;
  const { client, mailbox } = folder;
  const bytes = Buffer.from(withDate(message.raw, message.date));
  const saved = await change(client, () => client.append(mailbox.path, bytes, ['\\Seen'], message.date));
  if (saved === undefined) throw new MailError('refused', 'the IMAP server did not save the sent message');
}

/** How many messages are looked through at once for an address. */
const BATCH = 50;

/** Which of the normalised addresses the owner, `own`, has written to by the messages in the folder. */
export async function recipientsAmong(
  { client, mailbox }: OpenFolder,
  own: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(addresses);
  const found = new Set<string>();
  if (mailbox.exists === 0) return found;
  for (const address of wanted) {
    if (found.has(address)) continue;
    // To, Cc and Bcc are searched for by a part of them: the parsed addresses decide.
    let uids = await searchUids(client, {
      from: own,
      or: [{ to: address }, { cc: address }, { bcc: address }],
    });
    while (uids.length > 0 && !found.has(address)) {
      for (const recipient of await writtenToBy(client, own, uids.slice(-BATCH))) {
        if (wanted.has(recipient)) found.add(recipient);
      }
      uids = uids.slice(0, -BATCH);
    }
  }
  return found;
}

async function writtenToBy(client: ImapFlow, own: string, uids: readonly number[]): Promise<string[]> {
  const recipients: string[] = [];
  for (const set of uidSets(uids)) {
    for (const { envelope } of await client.fetchAll(set, { envelope: true }, { uid: true })) {
      if (envelope === undefined || !bare(envelope.from).includes(own.toLowerCase())) continue;
      recipients.push(...bare(envelope.to), ...bare(envelope.cc), ...bare(envelope.bcc));
    }
  }
  return recipients;
}

function bare(addresses: readonly MessageAddressObject[] = []): string[] {
  return addresses.flatMap(({ address }) => (address ? [address.toLowerCase()] : []));
}

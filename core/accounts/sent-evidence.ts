import { createHash } from 'node:crypto';
import { normalAddress } from '../contract/schema.ts';
import type { SentCopy } from '../mail/sent-copy.ts';
import { folderRolesOf } from './account-folders.ts';
import type { Mailbox } from './mail-call.ts';
import type { LookUpPorts } from './tool-ports.ts';

/** Whom the owner has written to, by what lies in Sent. */

/**
 * What a message that a request moves, copies or labels is remembered by, whatever becomes of it. Such a message never
 * shows whom the owner wrote to: whoever holds a key could have put it into Sent. By its Message-ID alone, which no
 * server changes when it copies a message; without one, by how its subject begins.
 */
export function relocationMark({ messageId, subject }: Pick<SentCopy, 'messageId' | 'subject'>): string {
  return messageId === null ? markOf('subject', subject.slice(0, 100)) : markOf('message-id', messageId);
}

function markOf(kind: 'message-id' | 'subject', value: string): string {
  return createHash('sha256').update(`${kind}\n${value}`, 'utf8').digest('base64url').slice(0, 22);
}

/**
 * Which of `addresses` (normalised) the owner has written to from this account, by the messages in its Sent folder.
 * A message counts when it is from the account's own address alone, did not arrive by delivery, and was never moved,
 * copied or labelled by a request. An account whose Sent folder is gone has nothing that shows it.
 * @throws MailError
 */
export async function writtenTo(
  ports: Pick<LookUpPorts, 'mail' | 'storage'>,
  mailbox: Mailbox,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const { account, call } = mailbox;
  const { path } = (await folderRolesOf(ports, mailbox)).sent;
  if (path === null) return new Set();
  const own = normalAddress(account.email);
  const copies = (await ports.mail.sentCopies(call, path, addresses)).filter(
    ({ from, messageId, wasDelivered }) =>
      from.length > 0 &&
      from.every((one) => normalAddress(one) === own) &&
      messageId !== null &&
      !wasDelivered,
  );
  if (copies.length === 0) return new Set();
  const relocated = await ports.storage.relocatedAmong(account.ownerId, [
    ...new Set(copies.flatMap(marksOf)),
  ]);
  const evidence = copies.filter((copy) => !marksOf(copy).some((mark) => relocated.has(mark)));
  const recipients = new Set(evidence.flatMap((copy) => copy.recipients.map(normalAddress)));
  return new Set(addresses.filter((address) => recipients.has(address)));
}

/** By its subject too: a header so long that it was cut may have hidden the Message-ID when the message was moved. */
function marksOf(copy: SentCopy): readonly string[] {
  return [relocationMark(copy), relocationMark({ ...copy, messageId: null })];
}

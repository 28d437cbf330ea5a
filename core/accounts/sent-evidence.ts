import { createHash } from 'node:crypto';
import { normalAddress } from '../contract/schema.ts';
import { isSentTo, type SentCopy } from '../mail/sent-copy.ts';
import type { Mailbox } from './mail-call.ts';
import type { LookUpPorts } from './tool-ports.ts';

/** Finds out to whom the owner has written, from the messages in Sent. */

/**
 * The mark of a message that a request moves, copies or labels, kept however the request ends. Such a message never
 * proves to whom the owner wrote: anyone with a key could have put it into Sent. The mark is the Message-ID, which no
 * server changes in a copy; without one, the beginning of the subject.
 */
export function relocationMark({ messageId, subject }: Pick<SentCopy, 'messageId' | 'subject'>): string {
  return messageId === null ? markOf('subject', subject.slice(0, 100)) : markOf('message-id', messageId);
}

function markOf(kind: 'message-id' | 'subject', value: string): string {
  return createHash('sha256').update(`${kind}\n${value}`, 'utf8').digest('base64url').slice(0, 22);
}

/**
 * Returns those of `addresses` (normalised) to which the owner has written from this account, by its Sent folder: each
 * as often as there are messages to it, among the newest SENT_COPIES_MAX.
 * A message counts if its only sender is the account's own address, it did not arrive by delivery, and no request ever
 * moved, copied or labelled it. Without a Sent folder, nothing counts. Some addresses stand for several: see
 * `isSentTo`.
 * @throws MailError
 */
export async function writtenTo(
  ports: Pick<LookUpPorts, 'mail' | 'storage'>,
  mailbox: Mailbox,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const { account, call } = mailbox;
  const { path } = account.folderRoles.sent;
  if (path === null) return [];
  const own = normalAddress(account.email);
  const copies = (await ports.mail.sentCopies(call, path, addresses)).filter(
    ({ from, messageId, wasDelivered }) =>
      from.length > 0 &&
      from.every((one) => normalAddress(one) === own) &&
      messageId !== null &&
      !wasDelivered,
  );
  if (copies.length === 0) return [];
  const relocated = await ports.storage.relocatedAmong(account.ownerId, [
    ...new Set(copies.flatMap(relocationMarks)),
  ]);
  const evidence = copies.filter((copy) => !relocationMarks(copy).some((mark) => relocated.has(mark)));
  return evidence.flatMap(({ recipients }) => {
    const written = [...new Set(recipients.map(normalAddress))];
    return written.filter((one) => addresses.some((address) => isSentTo({ recipients: [one] }, address)));
  });
}

/** Includes the subject: when the message was moved, a cut header may have hidden its Message-ID. */
export function relocationMarks(copy: Parameters<typeof relocationMark>[0]): readonly string[] {
  return [relocationMark(copy), relocationMark({ ...copy, messageId: null })];
}

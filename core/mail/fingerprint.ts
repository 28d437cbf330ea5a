import { createHash } from 'node:crypto';

/**
 * A hash that a move does not change: the identity of a message on servers without stable ids. `from`, `date` and
 * `subject` are the mailbox's own reading of those headers. One mailbox must always read them in the same way; two
 * mailboxes may differ.
 * @returns SHA-256, hex
 */
export function fingerprintOf(message: {
  messageId: string | null;
  from: string;
  date: string;
  subject: string;
  sizeBytes: number;
  internalDate: Date;
}): string {
  // IMAP keeps INTERNALDATE only to the second.
  const internalDateS = Math.floor(message.internalDate.getTime() / 1000);
  const { messageId, from, date, subject, sizeBytes } = message;
  return createHash('sha256')
    .update(JSON.stringify([messageId, from, date, subject, sizeBytes, internalDateS]), 'utf8')
    .digest('hex');
}

import { createHash } from 'node:crypto';

/**
 * What a move leaves as it is: the identity of a message on servers that have no stable ids.
 * `from`, `date` and `subject` are the mailbox's own reading of those headers; the same mailbox must always
 * read them alike, two mailboxes need not.
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
  // IMAP keeps INTERNALDATE to the second only.
  const internalDateS = Math.floor(message.internalDate.getTime() / 1000);
  const { messageId, from, date, subject, sizeBytes } = message;
  return createHash('sha256')
    .update(JSON.stringify([messageId, from, date, subject, sizeBytes, internalDateS]), 'utf8')
    .digest('hex');
}

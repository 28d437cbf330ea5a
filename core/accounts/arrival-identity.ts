import { createHash } from 'node:crypto';
import type { MessageRow } from '../mail/message-row.ts';

/**
 * Recognises a message that appears in the inbox under a new UID: after a move or a copy, or after the server recreated
 * the inbox. INTERNALDATE is not part of it, because not every server keeps it.
 * @param mark the message's `relocationMark`
 * @returns 11 characters
 */
export function arrivalIdentity(
  mark: string,
  { date, sizeBytes }: Pick<MessageRow, 'date' | 'sizeBytes'>,
): string {
  return createHash('sha256')
    .update(`${mark}\n${date}\n${sizeBytes}`, 'utf8')
    .digest('base64url')
    .slice(0, 11);
}

import type { Buffer } from 'node:buffer';
import type { SentCopy } from '../ports/mail.ts';
import { headerAddresses, headerMessageIds, headerText } from './header-text.ts';
import { type MimeHeader, readHeaders } from './mime-tree.ts';

/** Headers that the delivery of mail adds: what a mail program saves in Sent does not have them. */
const DELIVERY_HEADERS = ['delivered-to', 'x-original-to'];

/** What `sentCopyOf` reads. */
export const SENT_COPY_HEADERS = ['from', 'to', 'cc', 'bcc', 'subject', 'message-id', ...DELIVERY_HEADERS];

/** @param block the header of a message, or as much of it as SENT_COPY_HEADERS names */
export function sentCopyOf(block: Buffer): SentCopy {
  const headers = readHeaders(block);
  const all = (names: readonly string[]): readonly MimeHeader[] =>
    headers.filter(({ key }) => names.includes(key));
  const addressesIn = (...names: string[]) =>
    all(names).flatMap(({ value }) => headerAddresses(value).map(({ address }) => address.toLowerCase()));
  const first = (name: string) => all([name])[0]?.value ?? '';
  return {
    // As rows have them, so that the same message is known by the same words.
    messageId: headerMessageIds(first('message-id'))[0] ?? null,
    subject: headerText(first('subject')),
    from: addressesIn('from'),
    recipients: addressesIn('to', 'cc', 'bcc'),
    wasDelivered: all(DELIVERY_HEADERS).length > 0,
  };
}

import { Buffer } from 'node:buffer';
import { type HeaderField, readHeaders } from './header-fields.ts';
import { headerAddresses, headerText } from './header-text.ts';
import { messageIdOf } from './message-ids.ts';

/** What a message in Sent reveals about its recipients. */
export interface SentCopy {
  readonly messageId: string | null;
  readonly subject: string;
  /** Bare addresses of all From headers. */
  readonly from: readonly string[];
  /** Bare addresses of To, Cc and Bcc. */
  readonly recipients: readonly string[];
  /** True if it has a header that only mail delivery adds: it was received, not sent. */
  readonly wasDelivered: boolean;
}

/** @param header the header of a message, or at least its SENT_COPY_FIELDS */
export function sentCopyOf(header: Uint8Array): SentCopy {
  const headers = readHeaders(Buffer.from(header.buffer, header.byteOffset, header.byteLength));
  const all = (names: readonly string[]): readonly HeaderField[] =>
    headers.filter(({ key }) => names.includes(key));
  const addressesIn = (...names: string[]) =>
    all(names).flatMap(({ value }) => headerAddresses(value).map(({ address }) => address.toLowerCase()));
  const first = (name: string) => all([name])[0]?.value ?? '';
  return {
    // In the same form as in rows, so that one message always has the same mark.
    messageId: messageIdOf(first('message-id')),
    subject: headerText(first('subject')),
    from: addressesIn('from'),
    recipients: addressesIn('to', 'cc', 'bcc'),
    wasDelivered: all(DELIVERY_FIELDS).length > 0,
  };
}

/** Mail delivery adds these header fields. Mail programs do not add them to copies in Sent. */
export const DELIVERY_FIELDS: readonly string[] = ['delivered-to', 'x-original-to'];

/**
 * Whether its recipients include the address. One that ends with `@` stands for that mailbox in every domain, and one that
 * starts with `@` and ends with a dot for every mailbox in a domain that starts so.
 */
export function isSentTo({ recipients }: Pick<SentCopy, 'recipients'>, address: string): boolean {
  if (address.endsWith('@')) return recipients.some((recipient) => recipient.startsWith(address));
  if (address.startsWith('@') && address.endsWith('.'))
    return recipients.some((recipient) => recipient.slice(recipient.lastIndexOf('@')).startsWith(address));
  return recipients.includes(address);
}

import { Buffer } from 'node:buffer';

import { headerAddresses, headerMessageIds, headerText } from './header-text.ts';
import { type MimeHeader, readHeaders } from './mime-tree.ts';

/** What a message in Sent says about whom it went to. */
export interface SentCopy {
  readonly messageId: string | null;
  readonly subject: string;
  /** Bare addresses of every From header. */
  readonly from: readonly string[];
  /** Bare addresses of To, Cc and Bcc. */
  readonly recipients: readonly string[];
  /** It carries a header that only the delivery of mail adds: it came in. */
  readonly wasDelivered: boolean;
}

/** @param header the header of a message, or as much of it as SENT_COPY_FIELDS names */
export function sentCopyOf(header: Uint8Array): SentCopy {
  const headers = readHeaders(Buffer.from(header.buffer, header.byteOffset, header.byteLength));
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
    wasDelivered: all(DELIVERY_FIELDS).length > 0,
  };
}

/** The delivery of mail adds these header fields. What a mail program saves in Sent does not have them. */
export const DELIVERY_FIELDS: readonly string[] = ['delivered-to', 'x-original-to'];

import { createECDH, ECDH } from 'node:crypto';
import * as z from 'zod';
import { endpointUrl } from '../contract/endpoint-url.ts';
import { isDeliverable } from '../contract/schema.ts';

/** Where notices of an owner go. Stored sealed: whoever knows the address of a channel can often send to it. */

export const NOTICE_KINDS = ['push', 'ntfy', 'webhook', 'mail'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

const url = z.string().refine((text) => endpointUrl(text) !== undefined);
const bytes = (length: number) =>
  z.string().refine((text) => /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').length === length);

/** A subscription of a browser (W3C Push API), with the key that signs requests to it (RFC 8292). */
const push = z.strictObject({
  kind: z.literal('push'),
  /** The browser, for the owner: `Firefox on Linux`. */
  browser: z.string(),
  endpoint: url,
  /** The browser's public key: an uncompressed point on P-256, in base64url. */
  p256dh: bytes(65).refine(isPoint),
  /** 16 bytes in base64url. */
  auth: bytes(16),
  /** The private VAPID key, in base64url. */
  vapidKey: bytes(32),
});

/** A topic of an ntfy server. */
const ntfy = z.strictObject({
  kind: z.literal('ntfy'),
  /** Such as `https://ntfy.sh`. */
  server: url.refine((text) => new URL(text).search === ''),
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
  /** Null: the topic needs none. */
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .nullable(),
});

const webhook = z.strictObject({
  kind: z.literal('webhook'),
  url,
  /** `whsec_…`: signs each request. */
  secret: z.string(),
});

const mail = z.strictObject({
  kind: z.literal('mail'),
  address: z.string().max(254).refine(isDeliverable),
});

export const noticeTarget = z.discriminatedUnion('kind', [push, ntfy, webhook, mail]);
export type NoticeTarget = z.infer<typeof noticeTarget>;
export type PushTarget = z.infer<typeof push>;

function isPoint(text: string): boolean {
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url');
    return true;
  } catch {
    // It is not on the curve. Anyone can send such a key, so it is not an error.
    return false;
  }
}

/** The public half of a VAPID key, in base64url. */
export function vapidPublicKey(privateKey: string): string {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey, 'base64url');
  return ecdh.getPublicKey('base64url');
}

/**
 * Whether a message to the first address lands in the mailbox of the second. Ignores the case, what follows a `+`, and
 * the dots of a Gmail address.
 */
export function isSameMailbox(one: string, other: string): boolean {
  return mailboxOf(one) === mailboxOf(other);
}

function mailboxOf(address: string): string {
  const [, user = '', host = ''] = /^([^@]*)@(.*)$/s.exec(address.normalize('NFKC').toLowerCase()) ?? [];
  const [name = ''] = user.split('+');
  const isGmail = /^(gmail|googlemail)\.com$/.test(host);
  return isGmail ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`;
}

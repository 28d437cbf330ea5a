import { isIPv4 } from 'node:net';
import * as z from 'zod';

/**
 * `tls`: from the first byte. `starttls`: plain text until both sides have changed to TLS, which is demanded; only
 * towards a loopback address that does not offer it the connection stays as it is. `none`: plain text, to a loopback address.
 */
const security = z.enum(['tls', 'starttls', 'none']);

const fingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a certificate: 64 hex digits'));

const server = z
  .strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535),
    security,
    /** The only certificate that is accepted, whoever signed it. Without one the certificate must verify. */
    tlsFingerprint: fingerprint.optional(),
    user: z.string().min(1),
    pass: z.string().min(1),
  })
  .refine(({ host, security }) => security !== 'none' || isLoopback(host), {
    path: ['security'],
    message: 'plain text is only used to a loopback address',
  });

/** What the `settings` of a mail account resolve to. */
export const imapSettings = z.strictObject({ imap: server, smtp: server });

export type MailServer = z.infer<typeof server>;
export type ImapSettings = z.infer<typeof imapSettings>;

/** Whether what is sent there cannot leave this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

export interface MailUrl {
  readonly protocol: 'imap' | 'smtp';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls';
  /** Undefined where the address names none. */
  readonly user: string | undefined;
}

const SCHEMES: Readonly<Record<string, Pick<MailUrl, 'protocol' | 'port' | 'security'>>> = {
  'imaps:': { protocol: 'imap', security: 'tls', port: 993 },
  'imap:': { protocol: 'imap', security: 'starttls', port: 143 },
  'smtps:': { protocol: 'smtp', security: 'tls', port: 465 },
  'smtp:': { protocol: 'smtp', security: 'starttls', port: 587 },
};

/**
 * Reads a server's address such as `imaps://alice@example.org@mail.example.org:993`.
 * @throws TypeError with a text for the person who wrote it, which does not repeat it: it may hold a password
 */
export function parseMailUrl(text: string): MailUrl {
  if (!URL.canParse(text)) throw new TypeError('not an address of the form imaps://user@host:port');
  const url = new URL(text);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new TypeError('the address must begin with imaps:, imap:, smtps: or smtp:');
  if (url.password !== '') throw new TypeError('the password does not belong into the address');
  if (url.hostname === '') throw new TypeError('the address names no host');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new TypeError('the address must end after the host and port');
  }
  return {
    ...scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? scheme.port : Number(url.port),
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
  };
}

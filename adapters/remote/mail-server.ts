import { isIPv4 } from 'node:net';
import * as z from 'zod';

/**
 * `tls`: from the first byte. `starttls`: plain text until both sides have changed to TLS, which is demanded; only
 * towards a loopback address that does not offer it the connection stays as it is. `none`: plain text, to a loopback address.
 */
const security = z.enum(['tls', 'starttls', 'none']);

/** SHA-256 of a certificate, in hex, with colons or without. */
export const tlsFingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a certificate: 64 hex digits'));

/** How a mail server, of either protocol, is reached and signed in to. */
export const mailServer = z
  .strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535),
    security,
    /** The only certificate that is accepted, whoever signed it. Without one the certificate must verify. */
    tlsFingerprint: tlsFingerprint.optional(),
    user: z.string().min(1),
    pass: z.string().min(1),
  })
  .refine(({ host, security }) => security !== 'none' || isLoopback(host), {
    path: ['security'],
    message: 'plain text is only used to a loopback address',
  });

export type MailServer = z.infer<typeof mailServer>;

/** Whether what is sent there cannot leave this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

import { isIPv4 } from 'node:net';
import * as z from 'zod';

/**
 * `tls`: from the first byte. `starttls`: upgraded to TLS, which is required except on a loopback address that does not
 * offer it. `none`: plain text, only to a loopback address.
 */
const security = z.enum(['tls', 'starttls', 'none']);

/** SHA-256 of a certificate in hex, with or without colons. */
export const tlsFingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a certificate: 64 hex digits'));

/** Exactly one of these signs in to a server. */
export const secretFields = {
  pass: z.string().min(1).optional(),
  oauth: z.literal(true).optional(),
};

/** A password, or the access tokens of the account's sign-in at its provider. */
export type Secret = { readonly pass: string } | { readonly oauth: true };

/** Narrows a server's `secretFields` to the one that it has. */
export function withOneSecret<T extends { pass?: string | undefined; oauth?: true | undefined }>(
  { pass, oauth, ...others }: T,
  context: z.RefinementCtx,
): Omit<T, 'pass' | 'oauth'> & Secret {
  if (pass !== undefined && oauth === undefined) return { ...others, pass };
  if (oauth !== undefined && pass === undefined) return { ...others, oauth };
  context.addIssue({ code: 'custom', path: ['pass'], message: 'needs either a password or `oauth: true`' });
  return z.NEVER;
}

/** How to reach and sign in to an IMAP or SMTP server. */
export const mailServer = z
  .strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535),
    security,
    /** The only accepted certificate, whoever issued it. Without a pin the certificate must verify. */
    tlsFingerprint: tlsFingerprint.optional(),
    user: z.string().min(1),
    ...secretFields,
  })
  .refine(({ host, security }) => security !== 'none' || isLoopback(host), {
    path: ['security'],
    message: 'plain text is only allowed to a loopback address',
  })
  .transform(withOneSecret);

export type MailServer = z.infer<typeof mailServer>;

/** Whether traffic to this host stays on this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

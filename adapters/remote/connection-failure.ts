import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import { certificateTrouble, UntrustedCertificate } from './certificate.ts';

/** What imapflow, nodemailer and Node tell about a connection that failed. */
const told = z.object({
  code: z.string().optional().catch(undefined),
  /** nodemailer: the code before it put its own in place. */
  originalCode: z.string().optional().catch(undefined),
  /** imapflow */
  tlsFailed: z.boolean().optional().catch(undefined),
});

/** Makes a MailError `unavailable` out of what a connection failed with. */
export function connectionFailure(protocol: 'IMAP' | 'SMTP' | 'CalDAV', error: unknown): MailError {
  return new MailError('unavailable', `the ${protocol} server ${connectionTrouble(error)}`, { cause: error });
}

export const NO_STARTTLS = 'does not offer STARTTLS, and plain text is only used to a loopback address';

const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EDNS',
]);

function connectionTrouble(error: unknown): string {
  const { code = '', originalCode = '', tlsFailed } = told.safeParse(error).data ?? {};
  if (error instanceof UntrustedCertificate) return 'shows another certificate than the pinned one';
  const untrusted = certificateTrouble(code) ?? certificateTrouble(originalCode);
  if (untrusted !== undefined) {
    return `shows a certificate that cannot be verified, because ${untrusted}; that of a server of your own can be pinned by its SHA-256 fingerprint`;
  }
  if (error instanceof Error && error.message === 'Server does not support STARTTLS') return NO_STARTTLS;
  if (tlsFailed === true || code === 'ETLS' || code.startsWith('ERR_SSL'))
    return 'cannot be spoken to over TLS';
  if (NOT_REACHED.has(code) || NOT_REACHED.has(originalCode)) return 'cannot be reached';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'does not answer in time';
  return 'ended the connection';
}

import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import { certificateTrouble, UntrustedCertificate } from './certificate.ts';

/** What imapflow, nodemailer and Node report about a failed connection. */
const reported = z.object({
  code: z.string().optional().catch(undefined),
  /** nodemailer: the code before nodemailer replaced it with its own. */
  originalCode: z.string().optional().catch(undefined),
  /** imapflow */
  tlsFailed: z.boolean().optional().catch(undefined),
});

/** The failure of a connection as a MailError `unavailable`. */
export function connectionFailure(protocol: 'IMAP' | 'SMTP' | 'CalDAV', error: unknown): MailError {
  return new MailError('unavailable', `the ${protocol} server ${connectionTrouble(error)}`, { cause: error });
}

export const NO_STARTTLS = 'does not offer STARTTLS, and plain text is only allowed to a loopback address';

const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EDNS',
]);

function connectionTrouble(error: unknown): string {
  const { code = '', originalCode = '', tlsFailed } = reported.safeParse(error).data ?? {};
  if (error instanceof UntrustedCertificate) return 'presents a certificate that is not the pinned one';
  const untrusted = certificateTrouble(code) ?? certificateTrouble(originalCode);
  if (untrusted !== undefined) {
    return `presents a certificate that cannot be verified, because ${untrusted}; if the server is your own, pin its certificate by SHA-256 fingerprint`;
  }
  if (error instanceof Error && error.message === 'Server does not support STARTTLS') return NO_STARTTLS;
  if (tlsFailed === true || code === 'ETLS' || code.startsWith('ERR_SSL')) return 'failed to establish TLS';
  if (NOT_REACHED.has(code) || NOT_REACHED.has(originalCode)) return 'cannot be reached';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'did not answer in time';
  return 'closed the connection';
}

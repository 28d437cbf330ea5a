import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import { isCertificateCode, UntrustedCertificate } from './certificate.ts';

/** What imapflow, nodemailer and Node tell about an error, as far as it decides what it means. */
const told = z.object({
  code: z.string().optional().catch(undefined),
  /** nodemailer: the code before it put its own in place. */
  originalCode: z.string().optional().catch(undefined),
  /** imapflow: `NO` or `BAD`, when the server refused a command. */
  responseStatus: z.string().optional().catch(undefined),
  /** imapflow: the response code in brackets. */
  serverResponseCode: z.string().optional().catch(undefined),
  authenticationFailed: z.boolean().optional().catch(undefined),
  mailboxMissing: z.boolean().optional().catch(undefined),
  tlsFailed: z.boolean().optional().catch(undefined),
});

type Told = z.infer<typeof told>;

function toldBy(error: unknown): Told {
  return told.safeParse(error).data ?? {};
}

/** Response codes of IMAP (RFC 5530) with which a server puts a client off. */
const PUT_OFF = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN']);

/**
 * Makes a MailError out of what an IMAP command or connection failed with, where nothing can have been changed.
 */
export function imapFailure(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { authenticationFailed, mailboxMissing, responseStatus, serverResponseCode, code } = toldBy(error);
  const fail = (...[code, reason]: ConstructorParameters<typeof MailError>) =>
    new MailError(code, reason, { cause: error });
  if (mailboxMissing === true || code === 'NotFound') return fail('not_found', 'there is no such folder');
  if (
    code === 'ETHROTTLE' ||
    (serverResponseCode !== undefined && PUT_OFF.has(serverResponseCode.toUpperCase()))
  ) {
    return fail('unavailable', 'the IMAP server puts us off for now');
  }
  if (authenticationFailed === true)
    return fail('auth', 'the IMAP server does not accept the user name and password');
  if (responseStatus !== undefined) return fail('refused', 'the IMAP server refused the command');
  return connectionFailure('IMAP', error);
}

/** Makes a MailError `unavailable` out of what a connection failed with. */
export function connectionFailure(protocol: 'IMAP' | 'SMTP', error: unknown): MailError {
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
  const { code = '', originalCode = '', tlsFailed } = toldBy(error);
  if (error instanceof UntrustedCertificate) return 'shows another certificate than the pinned one';
  if (isCertificateCode(code) || isCertificateCode(originalCode)) {
    return 'shows a certificate that cannot be verified; that of a server of your own can be pinned by its SHA-256 fingerprint';
  }
  if (error instanceof Error && error.message === 'Server does not support STARTTLS') return NO_STARTTLS;
  if (tlsFailed === true || code === 'ETLS' || code.startsWith('ERR_SSL'))
    return 'cannot be spoken to over TLS';
  if (NOT_REACHED.has(code) || NOT_REACHED.has(originalCode)) return 'cannot be reached';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'does not answer in time';
  return 'ended the connection';
}

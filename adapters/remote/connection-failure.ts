import * as z from 'zod';
import type { ServerTrouble } from '../../core/ports/account-health.ts';
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
export function connectionFailure(protocol: Protocol, error: unknown): MailError {
  const { trouble, text } = connectionTrouble(protocol, error);
  return new MailError('unavailable', text, { cause: error, trouble });
}

export const NO_STARTTLS = 'does not offer STARTTLS, and plain text is only allowed to a loopback address';

type Protocol = 'IMAP' | 'SMTP' | 'CalDAV';

interface Trouble {
  readonly trouble: ServerTrouble;
  readonly text: string;
}

/** The port speaks TLS from the first byte, and the settings say otherwise. */
export function wantsTls(protocol: Protocol): MailError {
  const security = { IMAP: 'TLS (imaps)', SMTP: 'TLS (smtps)', CalDAV: 'https' }[protocol];
  return new MailError('unavailable', `the port of the ${protocol} server speaks TLS: use ${security}`, {
    trouble: 'wants_tls',
  });
}

/** The trouble of a failed connection, in a code and in words. */
function connectionTrouble(protocol: Protocol, error: unknown): Trouble {
  const { code = '', originalCode = '', tlsFailed } = reported.safeParse(error).data ?? {};
  const is = (...codes: readonly string[]) => codes.includes(code) || codes.includes(originalCode);
  const server = `the ${protocol} server`;
  if (error instanceof UntrustedCertificate) {
    return {
      trouble: 'certificate_changed',
      text: `${server} presents a certificate that is not the pinned one`,
    };
  }
  const untrusted = certificateTrouble(code) ?? certificateTrouble(originalCode);
  if (untrusted !== undefined) {
    const text = `${server} presents a certificate that cannot be verified, because ${untrusted}; if the server is your own, pin its certificate by SHA-256 fingerprint`;
    return { trouble: 'certificate_unverified', text };
  }
  if (error instanceof Error && error.message === 'Server does not support STARTTLS') {
    return { trouble: 'other', text: `${server} ${NO_STARTTLS}` };
  }
  if (is('ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG')) {
    return {
      trouble: 'other',
      text: `the port of ${server} does not speak TLS from the start${plain(protocol)}`,
    };
  }
  if (tlsFailed === true || code === 'ETLS' || code.startsWith('ERR_SSL')) {
    return { trouble: 'other', text: `${server} failed to establish TLS` };
  }
  if (is('ENOTFOUND')) {
    return { trouble: 'no_such_host', text: `there is no such host: check the name of ${server}` };
  }
  if (is('EAI_AGAIN', 'EDNS')) {
    return { trouble: 'other', text: `the name of ${server} could not be looked up` };
  }
  if (is('ECONNREFUSED')) {
    return { trouble: 'nothing_listens', text: `nothing listens on the port of ${server}` };
  }
  if (is('EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN') || /TIMEOUT|TIMEDOUT/.test(code)) {
    return { trouble: 'no_answer', text: `${server} does not answer` };
  }
  return { trouble: 'other', text: `${server} closed the connection` };
}

function plain(protocol: Protocol): string {
  return protocol === 'CalDAV' ? '' : `: use STARTTLS (${protocol.toLowerCase()})`;
}

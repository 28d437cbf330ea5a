import { imapSettings, type MailServer } from '../../adapters/imap/settings.ts';
import { ServiceError } from '../../core/errors.ts';

/** What somebody typed to connect a mailbox. */
export interface MailFields {
  readonly imap: Omit<MailServer, 'pass' | 'tlsFingerprint'>;
  readonly smtp: Omit<MailServer, 'pass' | 'tlsFingerprint'>;
  /** For both servers. */
  readonly password: string;
  /** SHA-256 of the one certificate to be accepted; undefined: the usual authorities. */
  readonly fingerprint: string | undefined;
}

/**
 * The settings of the IMAP adapter.
 * @throws ServiceError invalid_arguments when it would not take them
 */
export function mailSettings({ imap, smtp, password, fingerprint }: MailFields): unknown {
  const secret = { pass: password, ...(fingerprint === undefined ? {} : { tlsFingerprint: fingerprint }) };
  const parsed = imapSettings.safeParse({ imap: { ...imap, ...secret }, smtp: { ...smtp, ...secret } });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, code, message }) => ({
    field: path.join('.'),
    rule: code,
    message,
  }));
  throw new ServiceError('invalid_arguments', { details: { errors }, cause: parsed.error });
}

import type * as z from 'zod';
import { type CalendarServer, calendarServer } from '../../adapters/caldav/settings.ts';
import { imapSettings, type MailServer } from '../../adapters/imap/settings.ts';
import { ServiceError } from '../../core/contract/errors.ts';

/** What the user entered to connect a mailbox. */
export interface MailFields {
  readonly imap: Omit<MailServer, 'pass' | 'tlsFingerprint'>;
  readonly smtp: Omit<MailServer, 'pass' | 'tlsFingerprint'>;
  /** Undefined for an account without a calendar. */
  readonly caldav: Pick<CalendarServer, 'url' | 'user' | 'writeTo'> | undefined;
  /** For all servers. */
  readonly password: string;
  /**
   * SHA-256 of the only accepted certificate; undefined: trust the usual authorities. Applies to the calendar server
   * only if it is on the host of a mail server.
   */
  readonly fingerprint: string | undefined;
}

const accountSettings = imapSettings.extend({ caldav: calendarServer.optional() });

/**
 * The settings in the form of the IMAP and CalDAV adapters.
 * @throws ServiceError invalid_arguments if the adapters would reject them
 */
export function mailSettings({ imap, smtp, caldav, password, fingerprint }: MailFields): unknown {
  const pinned = fingerprint === undefined ? {} : { tlsFingerprint: fingerprint };
  const secret = { pass: password, ...pinned };
  const isMailHost = caldav !== undefined && [imap.host, smtp.host].includes(hostOf(caldav.url));
  const calendar = caldav && { ...caldav, pass: password, ...(isMailHost ? pinned : {}) };
  return checkedSettings({
    imap: { ...imap, ...secret },
    smtp: { ...smtp, ...secret },
    ...(calendar === undefined ? {} : { caldav: calendar }),
  });
}

function checkedSettings(settings: z.input<typeof accountSettings>): unknown {
  const parsed = accountSettings.safeParse(settings);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, code, message }) => ({
    field: path.join('.'),
    rule: code,
    message,
  }));
  throw new ServiceError('invalid_arguments', { details: { errors }, cause: parsed.error });
}

/** The same settings with another password for all servers. @throws ServiceError invalid_arguments */
export function withPassword(settings: unknown, password: string): unknown {
  const { imap, smtp, caldav } = accountSettings.parse(settings);
  return checkedSettings({
    imap: { ...imap, pass: password },
    smtp: { ...smtp, pass: password },
    ...(caldav === undefined ? {} : { caldav: { ...caldav, pass: password } }),
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}

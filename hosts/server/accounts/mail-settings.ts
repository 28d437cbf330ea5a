import type * as z from 'zod';
import { type CalendarServer, calendarServer } from '../../../adapters/caldav/settings.ts';
import { imapSettings, type MailServer } from '../../../adapters/imap/settings.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { AccountServers } from '../../dashboard/accounts/account-fields.ts';

/** SHA-256 of the only accepted certificate of one server; absent: `MailFields.fingerprint`. */
interface Pinned {
  readonly fingerprint?: string;
}

/** What the user entered to connect a mailbox. */
export interface MailFields {
  readonly imap: Omit<MailServer, 'pass' | 'tlsFingerprint'> & Pinned;
  readonly smtp: Omit<MailServer, 'pass' | 'tlsFingerprint'> & Pinned;
  /** Undefined for an account without a calendar. */
  readonly caldav: (Pick<CalendarServer, 'url' | 'user' | 'writeTo'> & Pinned) | undefined;
  /** For all servers. */
  readonly password: string;
  /**
   * SHA-256 of the only accepted certificate of servers without their own; undefined: trust the usual authorities.
   * Applies to the calendar server only if it is on the host of a mail server.
   */
  readonly fingerprint: string | undefined;
}

const accountSettings = imapSettings.extend({ caldav: calendarServer.optional() });

/**
 * The settings in the form of the IMAP and CalDAV adapters.
 * @throws ServiceError invalid_arguments if the adapters would reject them
 */
export function mailSettings({ imap, smtp, caldav, password, fingerprint }: MailFields): unknown {
  const isMailHost = caldav !== undefined && [imap.host, smtp.host].includes(hostOf(caldav.url));
  return checkedSettings({
    imap: pinnedServer(imap, password, fingerprint),
    smtp: pinnedServer(smtp, password, fingerprint),
    ...(caldav && { caldav: pinnedServer(caldav, password, isMailHost ? fingerprint : undefined) }),
  });
}

function pinnedServer<Server extends Pinned>(
  { fingerprint: own, ...server }: Server,
  pass: string,
  otherwise: string | undefined,
) {
  const pin = own ?? otherwise;
  return { ...server, pass, ...(pin === undefined ? {} : { tlsFingerprint: pin }) };
}

/** What the user entered to get these settings, without the password. */
export function fieldsOf(settings: unknown): AccountServers {
  const { imap, smtp, caldav } = accountSettings.parse(settings);
  return {
    imap: serverFields(imap),
    smtp: serverFields(smtp),
    caldav: caldav && calendarFields(caldav),
    fingerprint: undefined,
  };
}

function serverFields({
  host,
  port,
  security,
  user,
  tlsFingerprint,
}: z.output<typeof accountSettings>['imap']) {
  return { host, port, security, user, ...(tlsFingerprint && { fingerprint: tlsFingerprint }) };
}

function calendarFields({ url, user, writeTo, tlsFingerprint }: CalendarServer) {
  return { url, user, ...(writeTo && { writeTo }), ...(tlsFingerprint && { fingerprint: tlsFingerprint }) };
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

/** The same settings with another calendar for new events. @throws ServiceError invalid_arguments */
export function withCalendar(settings: unknown, calendar: string): unknown {
  const { caldav, ...servers } = accountSettings.parse(settings);
  return checkedSettings({
    ...servers,
    ...(caldav === undefined ? {} : { caldav: { ...caldav, writeTo: calendar } }),
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}

import { parseCalendarUrl } from '../../../adapters/caldav/settings.ts';
import { type MailUrl, parseMailUrl } from '../../../adapters/imap/settings.ts';
import { tlsFingerprint } from '../../../adapters/remote/mail-server.ts';
import type {
  AccountServers,
  CalendarFields,
  ServerFields,
} from '../../dashboard/accounts/account-fields.ts';
import { UsageError } from '../command.ts';

/** For commands that set the servers of an account. */
export const SERVER_OPTIONS = {
  imap: { type: 'string' },
  smtp: { type: 'string' },
  caldav: { type: 'string' },
  calendar: { type: 'string' },
  'no-calendar': { type: 'boolean' },
  'tls-fingerprint': { type: 'string', multiple: true },
} as const;

export const SERVER_USAGE =
  '[--caldav URL | --no-calendar] [--calendar NAME] [--tls-fingerprint [imap=|smtp=|caldav=]SHA256 …]';

interface ServerValues {
  readonly imap?: string | undefined;
  readonly smtp?: string | undefined;
  readonly caldav?: string | undefined;
  readonly calendar?: string | undefined;
  readonly 'no-calendar'?: boolean | undefined;
  readonly 'tls-fingerprint'?: readonly string[] | undefined;
}

const PINNED = ['imap', 'smtp', 'caldav'] as const;

/** SHA-256 of the only accepted certificates. `all`: of servers without their own. */
type Pins = Readonly<Partial<Record<(typeof PINNED)[number] | 'all', string>>>;

/** What the user typed. Each part may be absent. */
export interface TypedServers {
  readonly imap: MailUrl | undefined;
  readonly smtp: MailUrl | undefined;
  /** Null: the account shall have no calendar. */
  readonly caldav: ReturnType<typeof parseCalendarUrl> | null | undefined;
  /** The name or the path of the calendar for new events. */
  readonly calendar: string | undefined;
  readonly pins: Pins;
}

/** @throws UsageError */
export function typedServers(values: ServerValues): TypedServers {
  const { imap, smtp, caldav, calendar, 'no-calendar': noCalendar = false } = values;
  if (noCalendar && (caldav ?? calendar) !== undefined) {
    throw new UsageError('--no-calendar cannot be combined with --caldav or --calendar');
  }
  const calendarUrl = caldav === undefined ? undefined : read('--caldav', caldav, parseCalendarUrl);
  return {
    imap: imap === undefined ? undefined : mailUrl(imap, 'imap'),
    smtp: smtp === undefined ? undefined : mailUrl(smtp, 'smtp'),
    caldav: noCalendar ? null : calendarUrl,
    calendar,
    pins: pinsIn(values['tls-fingerprint'] ?? []),
  };
}

/**
 * The servers that the user typed. The others are as before.
 * @param before  undefined: there are none
 * @param email  the user of a server that had none before
 * @throws UsageError
 */
export function chosenServers(
  before: Omit<AccountServers, 'fingerprint'> | undefined,
  { pins, ...typed }: TypedServers,
  email: string,
): AccountServers {
  const mailServer = (which: 'imap' | 'smtp'): ServerFields => {
    const old = before?.[which];
    const url = typed[which];
    if (url !== undefined) {
      const { host, port, security, user = old?.user ?? email } = url;
      return { host, port, security, user };
    }
    if (old === undefined) throw new UsageError(`--${which} is missing`);
    return old;
  };
  const caldav = calendarServer(typed.caldav, before?.caldav, email);
  for (const [option, value] of [
    ['--calendar', typed.calendar],
    ['--tls-fingerprint caldav=…', pins.caldav],
  ]) {
    if (value !== undefined && caldav === undefined)
      throw new UsageError(`${option} needs a calendar server: set it with --caldav`);
  }
  return {
    imap: pinned(mailServer('imap'), pins.imap, pins.all),
    smtp: pinned(mailServer('smtp'), pins.smtp, pins.all),
    caldav: caldav && pinned(caldav, pins.caldav, pins.all),
    fingerprint: pins.all,
  };
}

function calendarServer(
  typed: TypedServers['caldav'],
  before: CalendarFields | undefined,
  email: string,
): CalendarFields | undefined {
  if (typed === undefined) return before;
  return typed === null ? undefined : { url: typed.url, user: typed.user ?? before?.user ?? email };
}

function pinned<Server extends { readonly fingerprint?: string }>(
  { fingerprint: before, ...server }: Server,
  own: string | undefined,
  all: string | undefined,
) {
  const pin = own ?? (all === undefined ? before : undefined);
  return pin === undefined ? server : { ...server, fingerprint: pin };
}

function pinsIn(texts: readonly string[]): Pins {
  const pins: { -readonly [Server in keyof Pins]: Pins[Server] } = {};
  for (const text of texts) {
    const named = PINNED.find((server) => text.startsWith(`${server}=`));
    const server = named ?? 'all';
    if (pins[server] !== undefined) {
      throw new UsageError(
        named === undefined
          ? '--tls-fingerprint is given twice. For one server: --tls-fingerprint imap=SHA256, smtp=SHA256 or caldav=SHA256'
          : `--tls-fingerprint ${named}=… is given twice`,
      );
    }
    const parsed = tlsFingerprint.safeParse(named === undefined ? text : text.slice(named.length + 1));
    if (!parsed.success) {
      throw new UsageError(
        '--tls-fingerprint must be the SHA-256 of a certificate, 64 hex digits, or imap=, smtp= or caldav= and those',
      );
    }
    pins[server] = parsed.data;
  }
  return pins;
}

function mailUrl(text: string, protocol: MailUrl['protocol']): MailUrl {
  const url = read(`--${protocol}`, text, parseMailUrl);
  if (url.protocol !== protocol) throw new UsageError(`--${protocol}: the URL must start with ${protocol}`);
  return url;
}

function read<Url>(option: string, text: string, parse: (text: string) => Url): Url {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`${option}: ${cause.message}`, { cause });
  }
}

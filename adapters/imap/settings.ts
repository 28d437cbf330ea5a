import * as z from 'zod';
import type { MailAccount } from '../../core/ports/mail.ts';
import { type MailServer, mailServer } from '../remote/mail-server.ts';
import type { SignInServer } from '../remote/sign-in.ts';
import type { SendingServer } from '../smtp/connection.ts';

export type { MailServer } from '../remote/mail-server.ts';

/** The resolved `settings` of a mail account. `caldav` belongs to the calendar. */
export const imapSettings = z.strictObject({
  imap: mailServer,
  smtp: mailServer,
  caldav: z.unknown().optional(),
});

export type ImapSettings = z.infer<typeof imapSettings>;

/** The two servers, with what signs in to them. */
export interface SignInServers {
  readonly imap: MailServer & SignInServer;
  readonly smtp: SendingServer & SignInServer;
}

export function withTokens(
  { imap, smtp }: ImapSettings,
  { accessToken, email }: Pick<MailAccount, 'accessToken' | 'email'>,
): SignInServers {
  return { imap: { ...imap, accessToken }, smtp: { ...smtp, accessToken, address: email } };
}

export interface MailUrl {
  readonly protocol: 'imap' | 'smtp';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls';
  /** Undefined if the address names none. */
  readonly user: string | undefined;
}

const SCHEMES: Readonly<Record<string, Pick<MailUrl, 'protocol' | 'port' | 'security'>>> = {
  'imaps:': { protocol: 'imap', security: 'tls', port: 993 },
  'imap:': { protocol: 'imap', security: 'starttls', port: 143 },
  'smtps:': { protocol: 'smtp', security: 'tls', port: 465 },
  'smtp:': { protocol: 'smtp', security: 'starttls', port: 587 },
};

/**
 * Parses a server's address, such as `imaps://alice@example.org@mail.example.org:993`.
 * @throws TypeError with a message for the user, which never repeats the address: it may contain a password
 */
export function parseMailUrl(text: string): MailUrl {
  if (!URL.canParse(text)) throw new TypeError('not an address of the form imaps://user@host:port');
  const url = new URL(text);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new TypeError('the address must begin with imaps:, imap:, smtps: or smtp:');
  if (url.password !== '') throw new TypeError('the password does not belong in the address');
  if (url.hostname === '') throw new TypeError('the address names no host');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new TypeError('the address must end after the host and port');
  }
  return {
    ...scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? scheme.port : Number(url.port),
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
  };
}

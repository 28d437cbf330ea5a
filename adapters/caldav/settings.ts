import * as z from 'zod';
import { isLoopback, secretFields, tlsFingerprint, withOneSecret } from '../remote/mail-server.ts';
import type { SignInServer } from '../remote/sign-in.ts';

/** How to reach and sign in to the calendar server of an account. */
export const calendarServer = z
  .strictObject({
    /** The server's CalDAV address, or just its root. The principal, home and calendars are found from there. */
    url: z.string().superRefine((text, context) => {
      const problem = problemWith(text);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
    user: z.string().min(1),
    ...secretFields,
    /** The only accepted certificate, whoever signed it. Without this, the certificate must verify. */
    tlsFingerprint: tlsFingerprint.optional(),
    /** The `calendar` of the CalendarInfo for new events. Default: the server's own default. */
    writeTo: z.string().min(1).optional(),
  })
  .transform(withOneSecret);

export type CalendarServer = z.infer<typeof calendarServer>;

/** A calendar server, with what signs in to it. */
export type SignInCalendarServer = CalendarServer & SignInServer;

/** The calendar part of an account's `settings`. The rest belongs to the mailbox. */
export const calendarSettings = z.object({ caldav: calendarServer.optional() });

export type CaldavSettings = z.infer<typeof calendarSettings>;

/**
 * Parses a server's address such as `https://alice@example.org@dav.example.org/dav/`.
 * @throws TypeError with a message for the user that does not repeat the address: it may contain a password
 */
export function parseCalendarUrl(text: string): { url: string; user: string | undefined } {
  // A user name may be an address, so only the last @ before the path ends it.
  const [, scheme = '', user, rest = ''] =
    /^(https?:\/\/)(?:([^/?#]*)@)?([^@/?#]*(?:[/?#].*)?)$/i.exec(text) ?? [];
  if (user?.includes(':') === true) throw new TypeError('the password does not belong in the address');
  const url = scheme + rest;
  const problem = problemWith(url);
  if (problem !== undefined) throw new TypeError(problem);
  return { url: new URL(url).href, user: user ? decodeURIComponent(user) : undefined };
}

function problemWith(text: string): string | undefined {
  if (!URL.canParse(text)) return 'enter an address of the form https://user@host/path/';
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'the address must start with https:';
  if (username !== '' || password !== '') return 'user and password do not belong in the address';
  if (search !== '' || hash !== '') return 'the address must end after the path';
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    return 'plain http is only used to a loopback address';
  }
  return undefined;
}

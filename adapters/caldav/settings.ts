import * as z from 'zod';
import { isLoopback, tlsFingerprint } from '../remote/mail-server.ts';

/** How the calendar server of an account is reached and signed in to. */
export const calendarServer = z.strictObject({
  /** The server's CalDAV address, or only its root: principal, home and calendars are found from there. */
  url: z.string().superRefine((text, context) => {
    const trouble = troubleWith(text);
    if (trouble !== undefined) context.addIssue({ code: 'custom', message: trouble });
  }),
  user: z.string().min(1),
  pass: z.string().min(1),
  /** The only certificate that is accepted, whoever signed it. Without one the certificate must verify. */
  tlsFingerprint: tlsFingerprint.optional(),
  /** The `calendar` of the CalendarInfo that new events are put into; without one the server's own default. */
  writeTo: z.string().min(1).optional(),
});

export type CalendarServer = z.infer<typeof calendarServer>;

/** What the `settings` of an account say about its calendar; the rest of them is the mailbox's. */
export const calendarSettings = z.object({ caldav: calendarServer.optional() });

/**
 * Reads a server's address such as `https://alice@example.org@dav.example.org/dav/`.
 * @throws TypeError with a text for the person who wrote it, which does not repeat it: it may hold a password
 */
export function parseCalendarUrl(text: string): { url: string; user: string | undefined } {
  // A user name may be an address: only its last @ ends it.
  const [, scheme = '', user, rest = ''] = /^(https?:\/\/)(?:([^/?#]*)@)?([^@]*)$/i.exec(text) ?? [];
  if (user?.includes(':') === true) throw new TypeError('the password does not belong into the address');
  const url = scheme + rest;
  const trouble = troubleWith(url);
  if (trouble !== undefined) throw new TypeError(trouble);
  return { url: new URL(url).href, user: user ? decodeURIComponent(user) : undefined };
}

function troubleWith(text: string): string | undefined {
  if (!URL.canParse(text)) return 'not an address of the form https://user@host/path/';
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'the address must begin with https:';
  if (username !== '' || password !== '') return 'user and password do not belong into the address';
  if (search !== '' || hash !== '') return 'the address must end after the path';
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    return 'plain http is only used to a loopback address';
  }
  return undefined;
}

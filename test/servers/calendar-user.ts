import { PASSWORD } from './mail-users.ts';

/** A user with an account on a real calendar server. */
export interface CalendarUser {
  /** The root URL of the server. */
  readonly url: string;
  /** The user's credentials. */
  readonly user: string;
  readonly calendarUrl: string;
}

/** Sends a request, as another program would. */
export async function asUser(
  { user }: Pick<CalendarUser, 'user'>,
  method: string,
  url: string,
  { body, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}`;
  return fetch(url, {
    method,
    headers: { authorization, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Creates an empty calendar that only accepts events. */
export async function makeCalendar(user: CalendarUser, name = 'Calendar'): Promise<void> {
  const body = `<?xml version="1.0" encoding="utf-8"?>
<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>
<D:displayname><![CDATA[${name}]]></D:displayname>
<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>
</D:prop></D:set></C:mkcalendar>`;
  const answer = await asUser(user, 'MKCALENDAR', user.calendarUrl, {
    body,
    'content-type': 'application/xml',
  });
  if (answer.status !== 201) throw new Error(`no calendar was made: ${answer.status} ${await answer.text()}`);
}

export async function removeCalendar(user: CalendarUser): Promise<void> {
  const answer = await asUser(user, 'DELETE', user.calendarUrl);
  if (!answer.ok) throw new Error(`the calendar was not removed: ${answer.status}`);
}

/** Stores an object, replacing any previous one. */
export async function putObject(user: CalendarUser, name: string, ics: string): Promise<void> {
  const url = `${user.calendarUrl}${encodeURIComponent(name)}`;
  const answer = await asUser(user, 'PUT', url, {
    body: ics,
    'content-type': 'text/calendar; charset=utf-8',
  });
  if (!answer.ok) throw new Error(`${name} was not stored: ${answer.status} ${await answer.text()}`);
}

/** Undefined if there is none. */
export async function objectNamed(user: CalendarUser, name: string): Promise<string | undefined> {
  const answer = await asUser(user, 'GET', `${user.calendarUrl}${encodeURIComponent(name)}`);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`${name} was not read: ${answer.status}`);
  return answer.text();
}

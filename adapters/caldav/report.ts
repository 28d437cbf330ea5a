import { WHY_UNUSABLE } from '../../core/calendar/why-unusable.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { Reach } from '../remote/connect.ts';
import { broken, brokenFinding, type Finding, good, lacking } from '../remote/finding.ts';
import { findCalendars } from './discover.ts';
import { calendarHttp, type ResponseReading } from './http.ts';
import type { SignInCalendarServer } from './settings.ts';

/**
 * Reports the capabilities and the problems of an account's calendar server. Changes nothing on it.
 * @param email the account's own address
 */
export async function calendarReport(
  server: SignInCalendarServer,
  email: string,
  reach: Reach,
  reading: ResponseReading,
  limit: AbortSignal,
): Promise<readonly Finding[]> {
  const http = calendarHttp(async () => server, reach, reading);
  try {
    const found = await findCalendars(http, new URL(server.url), email, limit);
    const { calendars, serverDefault, unusable } = found;
    const writable = calendars.filter((one) => one.writable);
    const target =
      writable.find(({ calendar }) => calendar === (server.writeTo ?? serverDefault)) ?? writable[0];
    const isLost = server.writeTo !== undefined && target?.calendar !== server.writeTo;
    return [
      good('sign_in', 'Signed in.'),
      calendars.length > 0
        ? good('calendars', `Calendars: ${calendars.map(({ name }) => `“${name}”`).join(', ')}.`)
        : lacking('calendars', 'It has no calendar for events yet. Create one in a calendar program.'),
      ...unusable.map(({ name, reason }) => lacking('unusable', `“${name}” ${WHY_UNUSABLE[reason]}`)),
      ...(isLost
        ? [broken('write_to', 'The calendar for new events no longer exists. Connect the account again.')]
        : target === undefined
          ? [
              lacking(
                'write_to',
                'Countersign cannot write to any of the calendars. It can only read events.',
              ),
            ]
          : [good('write_to', `New events go to “${target.name}”.`)]),
      calendars.some(({ schedules }) => schedules)
        ? good('scheduling', 'It invites attendees itself (calendar-auto-schedule).')
        : lacking(
            'scheduling',
            'It does not invite attendees in the name of this address. Countersign sends invitations by mail.',
          ),
    ];
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return [brokenFinding(error)];
  } finally {
    http.close();
  }
}

import type { Invitation } from '../mail/compose.ts';
import { oneLine } from '../text/one-line.ts';
import { dateFormat } from '../time/date-format.ts';
import { isoIn } from '../time/time-zone.ts';
import type { EventFacts } from './event.ts';
import { clean } from './invited-facts.ts';

/** The message to the attendees (iTIP, RFC 5546), for people. */

export interface InvitationText {
  readonly subject: string;
  readonly text: string;
}

/** @param options `wereNotified`: attendees have been notified of the event before */
export function invitationText(
  method: Invitation['method'],
  event: EventFacts,
  { organizer, timezone, wereNotified }: { organizer: string; timezone: string; wereNotified: boolean },
): InvitationText {
  const title = oneLine(event.title);
  const kind = method === 'CANCEL' ? 'Cancelled' : wereNotified ? 'Updated invitation' : 'Invitation';
  const opening = {
    Cancelled: `${organizer} has cancelled this event:`,
    'Updated invitation': `${organizer} has changed this event:`,
    Invitation: `${organizer} invites you to this event:`,
  }[kind];
  const others = event.attendees.filter(({ agent, isMail }) => agent !== 'none' && isMail);
  const lines = [
    opening,
    '',
    title,
    timeText(event, timezone),
    ...(event.recurrenceId === null ? [] : ['This is only about this one event of the series.']),
    ...(event.location === '' ? [] : [`Where: ${oneLine(event.location)}`]),
    `Invited: ${others.map(({ address }) => oneLine(address)).join(', ')}`,
    ...(event.description === '' ? [] : ['', clean(event.description)]),
  ];
  return { subject: `${kind}: ${cut(title, SUBJECT_CHARS)}`, text: lines.join('\n') };
}

const SUBJECT_CHARS = 250;

/** `Saturday, 21 November 2026, 09:00 to 09:30 (Europe/Zurich, UTC+01:00)` */
function timeText({ start, end, allDay }: EventFacts, timezone: string): string {
  const day = (instant: Date) =>
    dateFormat('en-GB', {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: timezone,
    }).format(instant);
  const clock = (instant: Date) => isoIn(instant, timezone).slice(11, 16);
  const lastDay = new Date(Math.max(start.getTime(), end.getTime() - 1));
  if (allDay)
    return day(start) === day(lastDay) ? `${day(start)}, all day` : `${day(start)} to ${day(lastDay)}`;
  const until = day(start) === day(end) ? clock(end) : `${day(end)}, ${clock(end)}`;
  const [from, to] = [start, end].map((instant) => `UTC${isoIn(instant, timezone).slice(19)}`);
  // If the clocks change in between, a time without its offset may be ambiguous.
  if (from !== to) return `${day(start)}, ${clock(start)} (${from}) to ${until} (${to}), ${timezone}`;
  return `${day(start)}, ${clock(start)} to ${until} (${timezone}${timezone === 'UTC' ? '' : `, ${from}`})`;
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

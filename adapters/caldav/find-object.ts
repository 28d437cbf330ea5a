import { BrokenObject, eventInObject } from '../../core/ical/expand.ts';
import type { EventKey, StoredEvent } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { decodedName, type FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, propText, type Resource } from './multistatus.ts';

/** The object with this UID and the event in it, in one request; undefined where there is none. */
export async function findObject(
  http: CalendarHttp,
  calendar: FoundCalendar,
  key: EventKey,
  timezone: string,
  limit: AbortSignal,
): Promise<StoredEvent | undefined> {
  const match = { _attributes: { collation: 'i;octet' }, _text: key.uid };
  const filter = { 'c:prop-filter': { _attributes: { name: 'UID' }, 'c:text-match': match } };
  const { resources } = await calendarQuery(http, calendar.url, filter, limit);
  // The server looks for a part of it: others may come with it.
  for (const resource of resources) {
    const found = eventIn(resource, calendar, key, timezone);
    if (found !== undefined) return found;
  }
  return undefined;
}

function eventIn(
  { url, props }: Resource,
  { calendar, schedules }: FoundCalendar,
  key: EventKey,
  timezone: string,
): StoredEvent | undefined {
  const text = propText(props.calendarData);
  const name = decodedName(url);
  if (text === undefined || name === undefined) return undefined;
  // The XML took the end of the last line.
  const ics = `${text.trimEnd()}\r\n`;
  try {
    const event = eventInObject(ics, key, { calendar, timezone });
    if (event === undefined) return undefined;
    const etag = propText(props.getetag);
    if (!etag) throw new MailError('refused', 'the calendar server does not tell which version an object is');
    return { event, place: { calendar, name }, etag, ics, schedules };
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

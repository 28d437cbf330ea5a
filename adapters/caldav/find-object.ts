import { BrokenObject, eventInObject } from '../../core/ical/expand.ts';
import type { EventKey, StoredEvent } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { decodedName } from './decoded.ts';
import { asInfo, type FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, propFilter, propText, type Resource, textMatch } from './multistatus.ts';

/** The largest object that is read, and others whose UID holds this one. */
const FOUND_BYTES = 8 * 1024 * 1024;

/** The object with this UID and the event in it; undefined where there is none. */
export async function findObject(
  http: CalendarHttp,
  calendar: FoundCalendar,
  key: EventKey,
  timezone: string,
  limit: AbortSignal,
): Promise<StoredEvent | undefined> {
  for (const text of textsOf(key.uid)) {
    const query = { filter: propFilter('UID', text === '' ? '' : textMatch(text)), mostBytes: FOUND_BYTES };
    const { resources } = await calendarQuery(http, calendar.url, query, limit);
    // The server looks for a part of it: others may come with it.
    for (const resource of resources) {
      const found = eventIn(resource, calendar, key, timezone);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * What to look for, until it is found. Of a UID with characters that are escaped in an object some servers (Cyrus)
 * compare what is written there: its longest part without them is the same to them.
 */
function textsOf(uid: string): string[] {
  const [longest = uid] = uid.split(/[\\,;\r\n]/).sort((a, b) => b.length - a.length);
  return longest === uid ? [uid] : [uid, longest];
}

function eventIn(
  resource: Resource,
  calendar: FoundCalendar,
  key: EventKey,
  timezone: string,
): StoredEvent | undefined {
  const text = propText(resource, 'c:calendar-data');
  const name = decodedName(resource.url);
  if (text === undefined || name === undefined) return undefined;
  // The XML took the end of the last line.
  const ics = `${text}\r\n`;
  try {
    const event = eventInObject(ics, key, { calendar: calendar.calendar, timezone });
    if (event === undefined) return undefined;
    const etag = propText(resource, 'd:getetag');
    if (!etag) throw new MailError('refused', 'the calendar server does not tell which version an object is');
    return { event, place: { calendar: calendar.calendar, name }, etag, ics, calendar: asInfo(calendar) };
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

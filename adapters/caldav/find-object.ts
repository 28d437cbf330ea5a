import { BrokenObject, eventInObject } from '../../core/ical/expand.ts';
import type { EventKey, StoredEvent } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { decodedName, type FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, propText, type Resource } from './multistatus.ts';

/** The object with this UID and the event in it; undefined where there is none. */
export async function findObject(
  http: CalendarHttp,
  calendar: FoundCalendar,
  key: EventKey,
  timezone: string,
  limit: AbortSignal,
): Promise<StoredEvent | undefined> {
  for (const text of textsOf(key.uid)) {
    const { resources } = await calendarQuery(http, calendar.url, having(text), limit);
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

/** As CDATA: elsewhere an `&amp;` of the text would be read as `&`. */
function having(uid: string): object {
  const match = { 'c:text-match': { _attributes: { collation: 'i;octet' }, _cdata: uid } };
  return { 'c:prop-filter': { _attributes: { name: 'UID' }, ...(uid === '' ? {} : match) } };
}

function eventIn(
  { url, props }: Resource,
  { calendar, writable, schedules }: FoundCalendar,
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
    return { event, place: { calendar, name }, etag, ics, writable, schedules };
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

import type { StoredObject } from '../../core/ports/calendar-objects.ts';
import { MailError } from '../../core/ports/mail.ts';
import { decodedName } from './decoded.ts';
import { asInfo, type FoundCalendar } from './discover.ts';
import { everyObject } from './every-object.ts';
import type { CalendarHttp } from './http.ts';
import {
  type EventFilter,
  eventsMatching,
  type Multistatus,
  propFilter,
  propText,
  type Resource,
  textMatch,
} from './multistatus.ts';
import { FailedOnRequest } from './status.ts';

/** The largest object that is read, together with others whose UID contains this one. */
const FOUND_BYTES = 8 * 1024 * 1024;
/** All objects of a calendar whose server fails to filter them. */
const ALL_BYTES = 32 * 1024 * 1024;

/** Finds the object with this UID. The server searches for a part of the UID, so other objects may be included. */
export async function findObjects(
  http: CalendarHttp,
  calendar: FoundCalendar,
  uid: string,
  limit: AbortSignal,
): Promise<StoredObject[]> {
  const found = new Map<string, StoredObject>();
  for (const text of textsOf(uid)) {
    const query = { filter: propFilter('UID', text === '' ? {} : textMatch(text)), mostBytes: FOUND_BYTES };
    const { resources } = await queried(http, calendar, query, limit);
    for (const resource of resources) {
      const object = objectOf(resource, calendar);
      if (object !== undefined) found.set(object.place.name, object);
    }
  }
  return [...found.values()];
}

async function queried(
  http: CalendarHttp,
  calendar: FoundCalendar,
  query: EventFilter,
  limit: AbortSignal,
): Promise<Multistatus> {
  try {
    return await eventsMatching(http, calendar.url, query, limit);
  } catch (error) {
    if (!(error instanceof FailedOnRequest)) throw error;
    return everyObject(http, calendar, ALL_BYTES, limit, error);
  }
}

/**
 * The texts to search for. If a UID contains characters that are escaped in an object, some servers (Cyrus) compare the
 * escaped text. The longest part of the UID without these characters is the same in both.
 */
function textsOf(uid: string): string[] {
  const [longest = uid] = uid.split(/[\\,;\r\n]/).sort((a, b) => b.length - a.length);
  return longest === uid ? [uid] : [uid, longest];
}

function objectOf(resource: Resource, calendar: FoundCalendar): StoredObject | undefined {
  const text = propText(resource, 'calendarData');
  const name = decodedName(resource.url);
  if (text === undefined || name === undefined) return undefined;
  const etag = propText(resource, 'getetag');
  if (!etag) throw new MailError('refused', 'the calendar server does not report the version of an object');
  // XML parsing removed the end of the last line.
  return {
    place: { calendar: calendar.calendar, name },
    etag,
    ics: `${text}\r\n`,
    calendar: asInfo(calendar),
  };
}

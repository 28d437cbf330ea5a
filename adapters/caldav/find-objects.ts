import type { StoredObject } from '../../core/ports/calendar-objects.ts';
import { MailError } from '../../core/ports/mail.ts';
import { addressOf } from './address.ts';
import { lastPartOf } from './decoded.ts';
import { asInfo, type FoundCalendar } from './discover.ts';
import { everyObject, objectsNamed } from './every-object.ts';
import type { CalendarHttp } from './http.ts';
import type { KeptCalendar } from './kept-calendars.ts';
import { eventsMatching, onlyOnce, propFilter, propText, textMatch } from './multistatus.ts';
import type { Resource } from './response.ts';
import { isUnavailable, mayAskSimpler, type StatusError } from './status.ts';
import { withUid } from './with-uid.ts';

/** The largest object that is read, together with others whose UID contains this one. */
const FOUND_BYTES = 8 * 1024 * 1024;
/** All objects of a calendar whose server fails to filter them. */
const ALL_BYTES = 32 * 1024 * 1024;

/** Whether the server finds objects by UID. Google, Yandex and iCloud do not always. */
export type UidTrust = 'unknown' | 'finds' | 'misses';

export interface Wanted {
  readonly uid: string;
  /** The object that is meant, if several have the UID. */
  readonly documentName: string | undefined;
}

export interface KnownBefore {
  readonly kept: KeptCalendar | undefined;
  readonly trust: UidTrust;
}

export interface ObjectsFound {
  readonly objects: readonly StoredObject[];
  readonly trust: UidTrust;
}

/**
 * Finds the objects with this UID: at the addresses where lists found it; then by a search, which may include others; then
 * among all objects of the calendar.
 */
export async function findObjects(
  http: CalendarHttp,
  calendar: FoundCalendar,
  { uid, documentName }: Wanted,
  { kept, trust }: KnownBefore,
  limit: AbortSignal,
): Promise<ObjectsFound> {
  const stored = (resources: readonly Resource[]) =>
    onlyOnce(resources).flatMap((resource) => objectOf(resource, calendar) ?? []);
  const having = (objects: readonly StoredObject[]) => withUid(http.reading, objects, uid, limit);
  const urls =
    documentName === undefined
      ? await addressesIn(http, kept, uid, calendar.url, limit)
      : [addressOf(calendar, documentName)];
  if (urls.length > 0) {
    const listed = await objectsNamed(http, calendar.url, urls, FOUND_BYTES, limit);
    const objects = await having(stored(listed.resources));
    if (objects.length > 0 || documentName !== undefined) return { objects, trust };
  }
  let failure: StatusError | undefined;
  if (trust !== 'misses') {
    try {
      const objects = stored(await search(http, calendar, uid, limit));
      if ((await having(objects)).length > 0) return { objects, trust: 'finds' };
      if (trust === 'finds') return { objects: [], trust };
    } catch (error) {
      if (!mayAskSimpler(error) && !isUnavailable(error)) throw error;
      failure = error;
    }
  }
  const all = await everyObject(http, calendar, ALL_BYTES, limit, failure);
  const objects = await having(stored(all.resources));
  return { objects, trust: failure === undefined && objects.length > 0 ? 'misses' : trust };
}

/** The addresses of the listed objects that may have this UID. */
async function addressesIn(
  { reading }: CalendarHttp,
  kept: KeptCalendar | undefined,
  uid: string,
  base: URL,
  limit: AbortSignal,
): Promise<URL[]> {
  if (kept === undefined || uid === '') return [];
  // Thousands of objects are only read if their UID begins like this one. A search finds what is written otherwise.
  const [begin = ''] = uid.split(ESCAPED);
  const line = `UID:${begin.slice(0, UID_BEGIN_CHARS)}`;
  const likely = [...kept.objects.values()].filter(({ ics }) => ics.includes(line));
  const named = await withUid(reading, likely, uid, limit);
  return named.map(({ pathname }) => new URL(pathname, base));
}

async function search(
  http: CalendarHttp,
  calendar: FoundCalendar,
  uid: string,
  limit: AbortSignal,
): Promise<readonly Resource[]> {
  const found: (readonly Resource[])[] = [];
  for (const text of textsOf(uid)) {
    const query = { filter: propFilter('UID', text === '' ? {} : textMatch(text)), mostBytes: FOUND_BYTES };
    found.push((await eventsMatching(http, calendar.url, query, limit)).resources);
  }
  return found.flat();
}

/**
 * The texts to search for. If a UID contains characters that are escaped in an object, some servers (Cyrus) compare the
 * escaped text. The longest part of the UID without these characters is the same in both.
 */
function textsOf(uid: string): string[] {
  const [longest = uid] = uid.split(ESCAPED).sort((a, b) => b.length - a.length);
  return longest === uid ? [uid] : [uid, longest];
}

/** The characters that are escaped in an object. */
const ESCAPED = /[\\,;\r\n]/;
/** A line is folded after this many characters at the earliest. */
const UID_BEGIN_CHARS = 40;

function objectOf(resource: Resource, calendar: FoundCalendar): StoredObject | undefined {
  const text = propText(resource, 'c:calendar-data');
  const name = lastPartOf(resource.url.pathname);
  if (text === undefined || name === '') return undefined;
  const etag = propText(resource, 'd:getetag');
  if (!etag) throw new MailError('refused', 'the calendar server does not report the version of an object');
  // The end of the last line is white space around the text of a property.
  return {
    place: { calendar: calendar.calendar, name },
    etag,
    ics: `${text}\r\n`,
    calendar: asInfo(calendar),
  };
}

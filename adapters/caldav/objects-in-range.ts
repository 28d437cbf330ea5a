import { ownCopy } from '../../core/memory/own-copy.ts';
import type { NamedObject, ObjectSeen, ObjectsInCalendar } from '../../core/ports/calendar-objects.ts';
import { lastPartOf } from './decoded.ts';
import type { FoundCalendar } from './discover.ts';
import { everyObject, objectsNamed } from './every-object.ts';
import type { CalendarHttp } from './http.ts';
import type { KeptCalendar, KeptList, KeptObject } from './kept-calendars.ts';
import {
  type EventFilter,
  eventsMatching,
  type Multistatus,
  onlyOnce,
  propFilter,
  propText,
} from './multistatus.ts';
import type { Resource } from './response.ts';
import { mayAskSimpler, StatusError } from './status.ts';

/** Some servers only check the first event of a series. This is known from earlier responses. */
export type SeriesTrust = 'unknown' | 'finds_series' | 'misses_series';

export interface FoundObjects extends Pick<ObjectsInCalendar, 'objects' | 'missing'> {
  /** The server failed to filter the objects: these are all that it returned. */
  readonly hasFailed: boolean;
  /** What to keep of it for the next list. */
  readonly kept: KeptCalendar;
  /** Learns from the contents of the objects how the server treats series. */
  seen(all: readonly ObjectSeen[]): SeriesTrust;
}

/** What is known of a calendar before it is listed. */
export interface Known {
  readonly trust: SeriesTrust;
  readonly kept: KeptCalendar | undefined;
  /** The calendar's tag (calendarserver-ctag), read before its objects. Undefined: it has none. */
  readonly ctag: string | undefined;
}

/** More than a calendar with ten thousand events. */
const LIST_BYTES = 32 * 1024 * 1024;
/** The largest difference between time zones. All-day events start in the reader's zone, unknown to the server. */
const ZONES_APART_MS = 26 * 3_600_000;
const LISTS_KEPT = 8;
/** After this, a clock that counts seconds has moved on. */
const SETTLED_MS = 2000;
const LIST_KEPT_MS = 10 * 60_000;

interface Range {
  readonly from: Date;
  readonly to: Date;
}

/**
 * The objects of a calendar that may overlap a range. Until the server has shown that it finds series by later
 * instances, requests all series of the calendar too. Requests nothing if the calendar has not changed since the same
 * range was listed, and only those objects whose ETag has changed if it has.
 * @throws MailError `refused` if the response is too large
 */
export async function objectsInRange(
  http: CalendarHttp,
  { url }: FoundCalendar,
  range: Range,
  { trust, kept, ctag }: Known,
  limit: AbortSignal,
): Promise<FoundObjects> {
  const startedMs = performance.now();
  const unchanged = kept && unchangedList(kept, range, ctag, trust);
  if (kept !== undefined && unchanged !== undefined) {
    return { objects: unchanged, missing: 0, hasFailed: false, kept, seen: () => trust };
  }
  const known = kept?.objects ?? new Map<string, KeptObject>();
  const request = { mostBytes: LIST_BYTES, isShort: known.size > 0 };
  let inRange: Multistatus;
  let series: Multistatus | undefined;
  let hasFailed = false;
  try {
    inRange = await eventsMatching(http, url, { ...request, filter: timeRange(range) }, limit);
    if (trust !== 'finds_series') series = await everySeries(http, url, request, limit);
  } catch (error) {
    if (!mayAskSimpler(error)) throw error;
    inRange = await everyObject(http, { url }, LIST_BYTES, limit, error);
    series = undefined;
    hasFailed = true;
  }
  const listed = onlyOnce([...inRange.resources, ...(series?.resources ?? [])]).filter(isObject);
  const objects = new Map<string, KeptObject>();
  const wanted = new Map<string, URL>();
  for (const one of listed) {
    const { path, url: address } = one;
    const object = objectOf(one) ?? sameVersion(known.get(path), one);
    if (object === undefined) wanted.set(path, address);
    else objects.set(path, object);
  }
  const fetched = await objectsNamed(http, url, [...wanted.values()], LIST_BYTES, limit);
  for (const one of fetched.resources) {
    if (wanted.delete(one.path)) objects.set(one.path, objectOf(one) ?? unreadable(one));
  }
  for (const path of fetched.gone) wanted.delete(path);
  const failed = new Set([
    ...inRange.failed,
    ...(series?.failed ?? []),
    ...fetched.failed,
    // Requested, and not mentioned in the response.
    ...wanted.keys(),
  ]);
  const missing = [...failed].filter((path) => !objects.has(path)).length;
  const paths = [...objects.keys()];
  const byRange = pathsOf(inRange);
  const bySeries = pathsOf(series);
  const isWhole = !hasFailed && missing === 0 && [...objects.values()].every(isKeepable);
  const list: KeptList = {
    range: nameOf(range),
    hasSeries: series !== undefined,
    paths,
    ctag: isWhole ? ctag : undefined,
    ctagSinceMs: kept?.lists.find((one) => one.ctag === ctag)?.ctagSinceMs ?? startedMs,
    madeMs: startedMs,
    untilMs: performance.now() + LIST_KEPT_MS,
  };
  const earlier = kept?.lists.filter((one) => one.range !== list.range) ?? [];
  return {
    objects: [...objects.values()].map(namedObject),
    missing,
    hasFailed,
    kept: keptOf([list, ...earlier].slice(0, LISTS_KEPT), [objects, known]),
    seen(all) {
      // Unfiltered results show nothing about how the server filters.
      if (hasFailed) return trust;
      const hasSeen = (seen: readonly ObjectSeen[], isAmong: (path: string) => boolean) =>
        paths.some((path, index) => isAmong(path) && seen.includes(all[index] ?? 'unreadable'));
      if (hasSeen(['in_range', 'followed_into_range'], (path) => !byRange.has(path))) return 'misses_series';
      const isFollowed = hasSeen(['followed_into_range'], (path) => byRange.has(path) && bySeries.has(path));
      return trust === 'unknown' && isFollowed ? 'finds_series' : trust;
    },
  };
}

/** The objects of an earlier list of the same range, if the calendar has not changed since. */
function unchangedList(
  { lists, objects }: KeptCalendar,
  range: Range,
  ctag: string | undefined,
  trust: SeriesTrust,
): NamedObject[] | undefined {
  if (ctag === undefined) return undefined;
  const name = nameOf(range);
  const list = lists.find(
    (one) =>
      one.range === name &&
      one.ctag === ctag &&
      (one.hasSeries || trust === 'finds_series') &&
      isSettled(one) &&
      performance.now() < one.untilMs,
  );
  return list?.paths.flatMap((path) => {
    const object = objects.get(path);
    return object === undefined ? [] : namedObject(object);
  });
}

/**
 * Whether the next change is certain to change the tag. SOGo's tag is the time of the last change in seconds, so
 * several changes within one second have the same tag.
 */
function isSettled({ ctag, ctagSinceMs, madeMs }: KeptList): boolean {
  return !/^"?\d+"?$/.test(ctag ?? '') || madeMs - ctagSinceMs >= SETTLED_MS;
}

/** Keeps the objects that one of the lists contains. @param sources the first that has an object counts */
function keptOf(
  lists: readonly KeptList[],
  sources: readonly ReadonlyMap<string, KeptObject>[],
): KeptCalendar {
  const objects = new Map<string, KeptObject>();
  for (const path of new Set(lists.flatMap(({ paths }) => paths))) {
    const object = sources.map((source) => source.get(path)).find((one) => one !== undefined);
    if (object !== undefined && isKeepable(object)) objects.set(path, object);
  }
  return { objects, lists };
}

function namedObject({ pathname, ics }: KeptObject): NamedObject {
  return { name: lastPartOf(pathname), ics };
}

function nameOf({ from, to }: Range): string {
  return `${from.toISOString()}/${to.toISOString()}`;
}

/** Undefined: the response only names it. */
function objectOf(resource: Resource): KeptObject | undefined {
  const ics = propText(resource, 'c:calendar-data');
  if (!ics) return undefined;
  const etag = propText(resource, 'd:getetag') ?? '';
  return { pathname: ownCopy(resource.url.pathname), etag: ownCopy(etag), ics: ownCopy(ics) };
}

function unreadable({ url }: Resource): KeptObject {
  return { pathname: url.pathname, etag: '', ics: '' };
}

function sameVersion(known: KeptObject | undefined, resource: Resource): KeptObject | undefined {
  return known?.etag === propText(resource, 'd:getetag') ? known : undefined;
}

function isKeepable({ etag, ics }: KeptObject): boolean {
  return etag !== '' && ics !== '';
}

/** Whether it is an object: some servers also list the collection itself. */
function isObject({ props }: Resource): boolean {
  return props.has('c:calendar-data') || props.has('d:getetag');
}

function timeRange({ from, to }: Range): object {
  const start = utcText(from.getTime() - ZONES_APART_MS);
  const end = utcText(to.getTime() + ZONES_APART_MS);
  return { 'time-range': { _attributes: { start, end } } };
}

function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The objects with an RRULE, and those with an RDATE. All objects if the server cannot filter by property. */
async function everySeries(
  http: CalendarHttp,
  url: URL,
  request: Omit<EventFilter, 'filter'>,
  limit: AbortSignal,
): Promise<Multistatus> {
  const having = (filter: object) => eventsMatching(http, url, { ...request, filter }, limit);
  try {
    const [rules, dates] = [await having(propFilter('RRULE')), await having(propFilter('RDATE'))];
    return {
      ...dates,
      resources: onlyOnce([...rules.resources, ...dates.resources]),
      failed: [...rules.failed, ...dates.failed],
    };
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 'refused')) throw error;
    return having({});
  }
}

function pathsOf(found: Multistatus | undefined): ReadonlySet<string> {
  return new Set(found?.resources.map(({ path }) => path));
}

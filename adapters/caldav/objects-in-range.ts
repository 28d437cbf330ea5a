import type { ObjectSeen, ObjectsInCalendar } from '../../core/ports/calendar-objects.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { FoundCalendar } from './discover.ts';
import { everyObject } from './every-object.ts';
import type { CalendarHttp } from './http.ts';
import { eventsMatching, type Multistatus, propFilter, propText, type Resource } from './multistatus.ts';
import { FailedOnRequest } from './status.ts';

/** Some servers only check the first event of a series. This is known from earlier responses. */
export type SeriesTrust = 'unknown' | 'finds_series' | 'misses_series';

export interface FoundObjects extends Pick<ObjectsInCalendar, 'objects' | 'missing'> {
  /** The server failed to filter the objects: these are all that it returned. */
  readonly hasFailed: boolean;
  /** Learns from the contents of the objects how the server treats series. */
  seen(all: readonly ObjectSeen[]): SeriesTrust;
}

/** More than a calendar with ten thousand events. */
const LIST_BYTES = 32 * 1024 * 1024;
/** The largest difference between time zones. All-day events start in the reader's zone, unknown to the server. */
const ZONES_APART_MS = 26 * 3_600_000;

/**
 * The objects of a calendar that may overlap a range. Until the server has shown that it finds series by later
 * instances, requests all series of the calendar too.
 * @throws MailError `refused` if the response is too large
 */
export async function objectsInRange(
  http: CalendarHttp,
  { url }: FoundCalendar,
  range: { readonly from: Date; readonly to: Date },
  trust: SeriesTrust,
  limit: AbortSignal,
): Promise<FoundObjects> {
  let inRange: Multistatus;
  let series: Multistatus | undefined;
  let hasFailed = false;
  try {
    inRange = await eventsMatching(http, url, { filter: timeRange(range), mostBytes: LIST_BYTES }, limit);
    if (trust !== 'finds_series') series = await everySeries(http, url, limit);
  } catch (error) {
    if (!(error instanceof FailedOnRequest)) throw error;
    inRange = await everyObject(http, { url }, LIST_BYTES, limit, error);
    series = undefined;
    hasFailed = true;
  }
  const byRange = pathsOf(inRange);
  const bySeries = pathsOf(series);
  const resources = onlyOnce([...inRange.resources, ...(series?.resources ?? [])]).filter(isObject);
  const paths = resources.map((resource) => resource.url.pathname);
  const returned = new Set(paths);
  const missing = new Set([...inRange.failed, ...(series?.failed ?? [])]);
  return {
    objects: resources.map((resource) => propText(resource, 'calendarData') ?? ''),
    missing: [...missing].filter((path) => !returned.has(path)).length,
    hasFailed,
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

/** Whether it is an object: some servers also list the collection itself. */
function isObject({ props }: Resource): boolean {
  return props.calendarData !== undefined || props.getetag !== undefined;
}

function timeRange({ from, to }: { readonly from: Date; readonly to: Date }): object {
  const start = utcText(from.getTime() - ZONES_APART_MS);
  const end = utcText(to.getTime() + ZONES_APART_MS);
  return { 'time-range': { _attributes: { start, end } } };
}

function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The objects with an RRULE, and those with an RDATE. All objects if the server cannot filter by property. */
async function everySeries(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<Multistatus> {
  const having = (filter: object) => eventsMatching(http, url, { filter, mostBytes: LIST_BYTES }, limit);
  try {
    const [rules, dates] = [await having(propFilter('RRULE')), await having(propFilter('RDATE'))];
    return {
      ...dates,
      resources: onlyOnce([...rules.resources, ...dates.resources]),
      failed: [...rules.failed, ...dates.failed],
    };
  } catch (error) {
    if (!(error instanceof MailError && error.code === 'refused')) throw error;
    return having({});
  }
}

/** Keeps the first resource per path. */
function onlyOnce(resources: readonly Resource[]): Resource[] {
  const byPath = new Map<string, Resource>();
  for (const resource of resources) {
    const { pathname } = resource.url;
    if (!byPath.has(pathname)) byPath.set(pathname, resource);
  }
  return [...byPath.values()];
}

function pathsOf(found: Multistatus | undefined): ReadonlySet<string> {
  return new Set(found?.resources.map(({ url }) => url.pathname));
}

import type { ObjectSeen, ObjectsInCalendar } from '../../core/ports/calendar-objects.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { FoundCalendar } from './discover.ts';
import { everyObject } from './every-object.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, type Multistatus, propFilter, propText, type Resource } from './multistatus.ts';
import { FailedOverQuestion } from './status.ts';

/** Some servers look at the first event of a series only. What is known of this one, from what it answered. */
export type SeriesTrust = 'unknown' | 'finds_series' | 'misses_series';

export interface FoundObjects extends Pick<ObjectsInCalendar, 'objects' | 'missing'> {
  /** The server failed to choose among them: these are all that it gives. */
  readonly hasFailed: boolean;
  /** What reading them shows of the server. */
  seen(all: readonly ObjectSeen[]): SeriesTrust;
}

/** More than a calendar of ten thousand events. */
const LIST_BYTES = 32 * 1024 * 1024;
/** No two clocks are further apart: what lasts all day begins by the reader's clock, which the server does not know. */
const ZONES_APART_MS = 26 * 3_600_000;

/**
 * The objects of a calendar that may touch a range. Until the server has shown that it finds a series by its later
 * instances, every series of the calendar is requested as well.
 * @throws MailError `refused` when the answer is too large
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
    inRange = await calendarQuery(http, url, { filter: timeRange(range), mostBytes: LIST_BYTES }, limit);
    if (trust !== 'finds_series') series = await everySeries(http, url, limit);
  } catch (error) {
    if (!(error instanceof FailedOverQuestion)) throw error;
    inRange = await everyObject(http, { url }, LIST_BYTES, limit, error);
    series = undefined;
    hasFailed = true;
  }
  const byRange = pathsOf(inRange);
  const bySeries = pathsOf(series);
  const resources = onlyOnce([...inRange.resources, ...(series?.resources ?? [])]).filter(isObject);
  const paths = resources.map((resource) => resource.url.pathname);
  const given = new Set(paths);
  const missing = new Set([...inRange.failed, ...(series?.failed ?? [])]);
  return {
    objects: resources.map((resource) => propText(resource, 'c:calendar-data') ?? ''),
    missing: [...missing].filter((path) => !given.has(path)).length,
    hasFailed,
    seen(all) {
      // What was not filtered shows nothing of how the server filters.
      if (hasFailed) return trust;
      const those = (seen: readonly ObjectSeen[], isAmong: (path: string) => boolean) =>
        paths.some((path, index) => isAmong(path) && seen.includes(all[index] ?? 'unreadable'));
      if (those(['in_range', 'followed_into_range'], (path) => !byRange.has(path))) return 'misses_series';
      const isFollowed = those(['followed_into_range'], (path) => byRange.has(path) && bySeries.has(path));
      return trust === 'unknown' && isFollowed ? 'finds_series' : trust;
    },
  };
}

/** Not the collection itself, which some servers name as well. */
function isObject({ props }: Resource): boolean {
  return props.has('c:calendar-data') || props.has('d:getetag');
}

function timeRange({ from, to }: { readonly from: Date; readonly to: Date }): string {
  const start = utcText(from.getTime() - ZONES_APART_MS);
  const end = utcText(to.getTime() + ZONES_APART_MS);
  return `<c:time-range start="${start}" end="${end}"/>`;
}

function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The objects with an RRULE, and those with an RDATE; all of them where the server cannot tell. */
async function everySeries(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<Multistatus> {
  const having = (filter: string) => calendarQuery(http, url, { filter, mostBytes: LIST_BYTES }, limit);
  try {
    const [rules, dates] = [await having(propFilter('RRULE')), await having(propFilter('RDATE'))];
    return {
      ...dates,
      resources: onlyOnce([...rules.resources, ...dates.resources]),
      failed: [...rules.failed, ...dates.failed],
    };
  } catch (error) {
    if (!(error instanceof MailError && error.code === 'refused')) throw error;
    return having('');
  }
}

/** The first of those at the same place. */
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

import { setImmediate } from 'node:timers/promises';
import { BrokenObject, type Expansion, expandObject } from '../../core/ical/expand.ts';
import { readObject } from '../../core/ical/object.ts';
import { ianaZone, instantOf } from '../../core/ical/zone.ts';
import { DAY_MS } from '../../core/limits.ts';
import type { CalendarEvent } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { outOfTime } from '../remote/time-limit.ts';
import type { FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, type Multistatus, propFilter, propText, type Resource } from './multistatus.ts';

/** Some servers look at the first event of a series only. What is known of this one, from what it answered. */
export type SeriesTrust = 'unknown' | 'finds_series' | 'misses_series';

export interface EventsInRange {
  readonly events: readonly CalendarEvent[];
  readonly trust: SeriesTrust;
  /** Objects that cannot be read or that the server does not give, and series that were not followed to the end of the range. */
  readonly broken: number;
  readonly cut: number;
}

export interface RangeQuery {
  readonly from: Date;
  readonly to: Date;
  readonly timezone: string;
}

/** What the series of one calendar may cost: about half a second of hostile ones. */
const STEPS = 1_000_000;
/** How long the objects of one calendar are read. Those that are left then count as broken; small ones come first. */
const READING_MS = 8000;
/** After this long, others get their turn. */
const TURN_MS = 20;
/** More than a calendar of ten thousand events. */
const LIST_BYTES = 32 * 1024 * 1024;
/** No two clocks are further apart: what lasts all day begins by the reader's clock, which the server does not know. */
const ZONES_APART_MS = 26 * 3_600_000;

/** What one object has in the range. */
interface Expanded extends Expansion {
  /** The server must have followed a series to find it: no part of the object itself is in the range. */
  readonly wasFollowed: boolean;
}

/**
 * The events of a calendar that touch a range. The objects in it are asked for, and expanded here. Until the server
 * has shown that it finds a series by its later instances, every series of the calendar is asked for as well.
 * @throws MailError `refused` when the answer is too large
 */
export async function eventsInRange(
  http: CalendarHttp,
  { url, calendar }: FoundCalendar,
  query: RangeQuery,
  trust: SeriesTrust,
  limit: AbortSignal,
): Promise<EventsInRange> {
  const budget = { left: STEPS };
  /** By path. */
  const broken = new Set<string>();
  const cut = new Set<string>();

  /** @returns what was found of each object, by its address */
  async function expand({ resources, failed }: Multistatus): Promise<Map<string, Expanded>> {
    for (const path of failed) broken.add(path);
    const found = new Map<string, Expanded>();
    const bySize = resources.map((resource) => ({ resource, ics: propText(resource, 'c:calendar-data') }));
    bySize.sort((a, b) => (a.ics?.length ?? 0) - (b.ics?.length ?? 0));
    const lastMs = performance.now() + READING_MS;
    let turnMs = performance.now() + TURN_MS;
    for (const { resource, ics } of bySize) {
      // The collection itself, which some servers name as well.
      if (ics === undefined && !resource.props.has('d:getetag')) continue;
      if (performance.now() > turnMs) {
        await setImmediate();
        if (limit.aborted) throw outOfTime();
        turnMs = performance.now() + TURN_MS;
      }
      const { pathname } = resource.url;
      const expanded = performance.now() > lastMs ? undefined : expandOne(ics ?? '');
      if (expanded === undefined) broken.add(pathname);
      else found.set(pathname, expanded);
      if (expanded?.cut) cut.add(pathname);
    }
    return found;
  }

  /** Undefined: it cannot be read. */
  function expandOne(ics: string): Expanded | undefined {
    try {
      const expansion = expandObject(ics, { ...query, calendar }, budget);
      const isAsked = trust === 'unknown' && expansion.events.length > 0;
      return { ...expansion, wasFollowed: isAsked && isOutside(ics, query) };
    } catch (error) {
      if (!(error instanceof BrokenObject)) throw error;
      return undefined;
    }
  }

  const inRange = await calendarQuery(http, url, { filter: timeRange(query), mostBytes: LIST_BYTES }, limit);
  const found = await expand(inRange);
  let learnt = trust;
  if (trust !== 'finds_series') {
    const asked = new Set(inRange.resources.map((resource) => resource.url.pathname));
    const series = await everySeries(http, url, limit);
    const isNew = (resource: Resource) => !asked.has(resource.url.pathname);
    const missed = await expand({ ...series, resources: series.resources.filter(isNew) });
    for (const [at, ofSeries] of missed) found.set(at, ofSeries);
    const followed = series.resources.some(
      ({ url: at }) => found.get(at.pathname)?.wasFollowed && asked.has(at.pathname),
    );
    learnt = [...missed.values()].some(({ events }) => events.length > 0)
      ? 'misses_series'
      : trust === 'unknown' && followed
        ? 'finds_series'
        : trust;
  }
  return {
    events: [...found.values()].flatMap(({ events }) => events),
    trust: learnt,
    broken: broken.size,
    cut: cut.size,
  };
}

/** Whether no part of the object itself is in the range. @throws BrokenObject */
function isOutside(ics: string, { from, to, timezone }: RangeQuery): boolean {
  const owner = ianaZone(timezone);
  const [fromMs, toMs] = [from.getTime() - 2 * ZONES_APART_MS, to.getTime() + 2 * ZONES_APART_MS];
  return readObject(ics).every(({ start, span }) => {
    const startMs = instantOf(start.wallMs, start.zone ?? owner);
    return startMs > toMs || startMs + span.days * DAY_MS + span.exactMs < fromMs;
  });
}

function timeRange({ from, to }: RangeQuery): string {
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
      resources: [...onlyOnce([...rules.resources, ...dates.resources])],
      failed: [...rules.failed, ...dates.failed],
    };
  } catch (error) {
    if (!(error instanceof MailError && error.code === 'refused')) throw error;
    return having('');
  }
}

function onlyOnce(resources: readonly Resource[]): Iterable<Resource> {
  return new Map(resources.map((resource) => [resource.url.pathname, resource])).values();
}

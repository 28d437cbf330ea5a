import { BrokenObject, expandObject } from '../../core/ical/expand.ts';
import { readObject } from '../../core/ical/object.ts';
import { ianaZone, instantOf } from '../../core/ical/zone.ts';
import { DAY_MS } from '../../core/limits.ts';
import type { CalendarEvent } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { calendarQuery, propText, type Resource } from './multistatus.ts';

/** Some servers look at the first event of a series only. What is known of this one, from what it answered. */
export type SeriesTrust = 'unknown' | 'finds_series' | 'misses_series';

export interface EventsInRange {
  readonly events: readonly CalendarEvent[];
  readonly trust: SeriesTrust;
  /** Objects that cannot be read, and series that were not followed to the end of the range. */
  readonly broken: number;
  readonly cut: number;
}

export interface RangeQuery {
  readonly from: Date;
  readonly to: Date;
  readonly timezone: string;
}

/** What all objects of one calendar may cost: about half a second of hostile ones. */
const STEPS = 1_000_000;
/** No two clocks are further apart: what lasts all day begins by the reader's clock, which the server does not know. */
const ZONES_APART_MS = 26 * 3_600_000;

/**
 * The events of a calendar that touch a range. The objects in it are asked for, and expanded here. Until the server
 * has shown that it finds a series by its later instances, every series of the calendar is asked for as well.
 */
export async function eventsInRange(
  http: CalendarHttp,
  { url, calendar }: FoundCalendar,
  query: RangeQuery,
  trust: SeriesTrust,
  limit: AbortSignal,
): Promise<EventsInRange> {
  const budget = { left: STEPS };
  const events: CalendarEvent[] = [];
  let broken = 0;
  let cut = 0;

  /** @returns what was found of each object, by its address */
  function expand(resources: readonly Resource[]): Map<string, readonly CalendarEvent[]> {
    const found = new Map<string, readonly CalendarEvent[]>();
    for (const { url: at, props } of resources) {
      const ics = propText(props.calendarData);
      // The collection itself, which some servers name as well.
      if (ics === undefined && props.getetag === undefined) continue;
      try {
        const expansion = expandObject(ics ?? '', { ...query, calendar }, budget);
        if (expansion.cut) cut += 1;
        found.set(at.pathname, expansion.events);
      } catch (error) {
        if (!(error instanceof BrokenObject)) throw error;
        broken += 1;
      }
    }
    return found;
  }

  const inRange = await calendarQuery(http, url, timeRange(query), limit);
  const found = expand(inRange.resources);
  let learnt = trust;
  if (trust !== 'finds_series') {
    const asked = new Set(inRange.resources.map((resource) => resource.url.pathname));
    const series = await everySeries(http, url, limit);
    const missed = expand(series.filter((resource) => !asked.has(resource.url.pathname)));
    for (const [at, ofSeries] of missed) found.set(at, ofSeries);
    learnt = [...missed.values()].some((missing) => missing.length > 0)
      ? 'misses_series'
      : trust === 'unknown' &&
          series.some((resource) => asked.has(resource.url.pathname) && wasExpanded(resource))
        ? 'finds_series'
        : trust;
  }
  events.push(...[...found.values()].flat());
  return { events, trust: learnt, broken, cut };

  /** Whether the server must have followed the series to find it: no part of the object itself is in the range. */
  function wasExpanded(resource: Resource): boolean {
    const shown = found.get(resource.url.pathname) ?? [];
    const ics = propText(resource.props.calendarData);
    if (shown.length === 0 || ics === undefined) return false;
    const owner = ianaZone(query.timezone);
    const [fromMs, toMs] = [
      query.from.getTime() - 2 * ZONES_APART_MS,
      query.to.getTime() + 2 * ZONES_APART_MS,
    ];
    try {
      return readObject(ics).every(({ start, span }) => {
        const startMs = instantOf(start.wallMs, start.zone ?? owner);
        return startMs > toMs || startMs + span.days * DAY_MS + span.exactMs < fromMs;
      });
    } catch (error) {
      if (error instanceof BrokenObject) return false;
      throw error;
    }
  }
}

function timeRange({ from, to }: RangeQuery): object {
  const start = utcText(from.getTime() - ZONES_APART_MS);
  const end = utcText(to.getTime() + ZONES_APART_MS);
  return { 'c:time-range': { _attributes: { start, end } } };
}

function utcText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The objects with an RRULE, and those with an RDATE; all of them where the server cannot tell. */
async function everySeries(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<readonly Resource[]> {
  const having = (name: string) =>
    calendarQuery(http, url, { 'c:prop-filter': { _attributes: { name } } }, limit);
  try {
    const [rules, dates] = [await having('RRULE'), await having('RDATE')];
    return [...rules.resources, ...dates.resources];
  } catch (error) {
    if (!(error instanceof MailError && error.code === 'refused')) throw error;
    return (await calendarQuery(http, url, {}, limit)).resources;
  }
}

import * as z from 'zod';
import { LEFT_OUT, type RangeQuery } from '../calendar/event.ts';
import { type Expansion, expandObject } from '../calendar/ical/expand.ts';
import { BrokenObject, type ReadingBounds, USUAL_BOUNDS } from '../calendar/ical/object.ts';
import { SERIES_STEPS } from '../calendar/ical/series.ts';
import { shortened } from '../text/shortened.ts';
import { eventShape } from './event-shapes.ts';
import type { Job } from './job.ts';
import { isShortObject, SHORT_BOUNDS, SHORT_STEPS } from './short-object.ts';

/** Finds the events of several iCalendar objects that touch a range of time. */

export interface EventsInput extends RangeQuery {
  readonly objects: readonly string[];
}

/**
 * What each object holds, in their order; null: it cannot be read. Shorter than `objects` when the work of one job was
 * done before their end: those that are left were not looked at. Never empty unless `objects` is.
 */
export type EventsReading = readonly (Expansion | null)[];

/** Longer titles are cut: every instance of a series carries its own. */
const TITLE_CHARS = 501;
/** With so many events a job ends: they are copied to another process and checked there, which holds up everything. */
const JOB_EVENTS = 500;
/** Of one object; those behind are cut off. */
const EVENTS_MAX = 5000;
/** What the series of one job may cost together: some half a second. */
const JOB_STEPS = 5 * SERIES_STEPS;

const expansion = z.object({
  events: z.array(eventShape.extend({ leftOut: z.array(z.enum(LEFT_OUT)) })),
  cut: z.boolean(),
  isFollowed: z.boolean(),
});

export const eventsJob: Job<EventsInput, EventsReading> = {
  input: z.object({ objects: z.array(z.string()), from: z.date(), to: z.date(), timezone: z.string() }),
  output: z.array(expansion.nullable()),
  maxMs: 3000,
  async read({ objects, ...range }) {
    const found: (Expansion | null)[] = [];
    const budget = { left: JOB_STEPS };
    let events = 0;
    for (const ics of objects) {
      const one = expanded(ics, range, budget, USUAL_BOUNDS);
      found.push(one);
      events += one?.events.length ?? 0;
      // The next one has a right to as many steps as a series may take.
      if (budget.left < SERIES_STEPS || events >= JOB_EVENTS) break;
    }
    return found;
  },
  readShort({ objects, ...range }) {
    const chars = objects.reduce((sum, ics) => sum + ics.length, 0);
    if (!isShortObject(chars)) return undefined;
    const budget = { left: SHORT_STEPS };
    const found = objects.map((ics) => expanded(ics, range, budget, SHORT_BOUNDS));
    // What is too much for the short way, or broken, is told apart where there is time for it.
    return found.some((one) => one === null || one.cut) ? undefined : found;
  },
};

function expanded(
  ics: string,
  range: RangeQuery,
  budget: { left: number },
  bounds: ReadingBounds,
): Expansion | null {
  try {
    const { events, cut, isFollowed } = expandObject(ics, range, budget, bounds);
    return {
      events: events
        .slice(0, EVENTS_MAX)
        .map((event) => ({ ...event, title: shortened(event.title, TITLE_CHARS) })),
      cut: cut || events.length > EVENTS_MAX,
      isFollowed,
    };
  } catch (error) {
    if (error instanceof BrokenObject) return null;
    throw error;
  }
}

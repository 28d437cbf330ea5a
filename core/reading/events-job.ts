import * as z from 'zod';
import { LEFT_OUT, type RangeQuery } from '../calendar/event.ts';
import { type Expansion, expandObject } from '../calendar/ical/expand.ts';
import { BrokenObject, type ReadingBounds, USUAL_BOUNDS } from '../calendar/ical/object.ts';
import { SERIES_STEPS } from '../calendar/ical/series.ts';
import { shortened } from '../text/shortened.ts';
import { eventShape } from './event-shapes.ts';
import type { Job } from './job.ts';
import { isShortObject, SHORT_BOUNDS, SHORT_STEPS } from './short-object.ts';

/** Finds the events of several iCalendar objects that overlap a range of time. */

export interface EventsInput extends RangeQuery {
  readonly objects: readonly string[];
}

/**
 * The contents of each object, in order; null: it cannot be read. Shorter than `objects` if the limits of one job end
 * it early; the remaining objects were not read. Never empty unless `objects` is.
 */
export type EventsReading = readonly (Expansion | null)[];

/** Longer titles are cut: every instance of a series has its own copy. */
const TITLE_CHARS = 501;
/** A job ends at this number of events: copying and checking them blocks the process that waits for it. */
const JOB_EVENTS = 500;
/** Per object; further events are cut off. */
const EVENTS_MAX = 5000;
/** The steps for all series of one job: about half a second. */
const JOB_STEPS = 5 * SERIES_STEPS;

const expansion = z.object({
  events: z.array(eventShape.extend({ leftOut: z.array(z.enum(LEFT_OUT)) })),
  cut: z.boolean(),
  isFollowed: z.boolean(),
});

export const eventsJob: Job<EventsInput, EventsReading> = {
  input: z.object({ objects: z.array(z.string()), from: z.date(), to: z.date(), timezone: z.string() }),
  output: z.array(expansion.nullable()),
  maxCpuMs: 3000,
  async read({ objects, ...range }) {
    const found: (Expansion | null)[] = [];
    const budget = { left: JOB_STEPS };
    let events = 0;
    for (const ics of objects) {
      const one = expanded(ics, range, budget, USUAL_BOUNDS);
      found.push(one);
      events += one?.events.length ?? 0;
      // The next series is entitled to its full number of steps.
      if (budget.left < SERIES_STEPS || events >= JOB_EVENTS) break;
    }
    return found;
  },
  readShort({ objects, ...range }) {
    const chars = objects.reduce((sum, ics) => sum + ics.length, 0);
    if (!isShortObject(chars)) return undefined;
    const budget = { left: SHORT_STEPS };
    const found = objects.map((ics) => expanded(ics, range, budget, SHORT_BOUNDS));
    // The full job separates objects that are too large for this way from broken ones.
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

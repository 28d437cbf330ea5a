import type { Expansion, RangeQuery } from '../calendar/event.ts';
import { expandObject } from '../ical/expand.ts';
import { BrokenObject } from '../ical/object.ts';
import { SERIES_STEPS } from '../ical/series.ts';
import type { EventsInput, EventsReading } from '../reading/events-job.ts';
import { shortened } from '../text/shortened.ts';

/** Longer titles are cut: every instance of a series has its own copy. */
const TITLE_CHARS = 501;
/** A job ends at this number of events: copying and checking them blocks the process that waits for it. */
const JOB_EVENTS = 500;
/** Per object; further events are cut off. */
const EVENTS_MAX = 5000;
/** The steps for all series of one job: about half a second. */
const JOB_STEPS = 5 * SERIES_STEPS;

export function readEvents({ objects, ...range }: EventsInput): EventsReading {
  const found: (Expansion | null)[] = [];
  const budget = { left: JOB_STEPS };
  let events = 0;
  for (const ics of objects) {
    const one = expanded(ics, range, budget);
    found.push(one);
    events += one?.events.length ?? 0;
    // The next series is entitled to its full number of steps.
    if (budget.left < SERIES_STEPS || events >= JOB_EVENTS) break;
  }
  return found;
}

function expanded(ics: string, range: RangeQuery, budget: { left: number }): Expansion | null {
  try {
    const { events, cut, isFollowed } = expandObject(ics, range, budget);
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

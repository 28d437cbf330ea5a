import * as z from 'zod';
import { EVENT_LOCKS, type EventReading, INVITATION_STATES } from '../calendar/event-document.ts';
import { readEvent } from '../calendar/event-facts.ts';
import { BrokenObject, type ReadingBounds, USUAL_BOUNDS } from '../calendar/ical/object.ts';
import { eventFactsShape } from './event-shapes.ts';
import type { Job } from './job.ts';
import { isShortObject, SHORT_BOUNDS } from './short-object.ts';

/** Reads one event of an iCalendar object. */

export interface EventInput {
  readonly ics: string;
  readonly uid: string;
  readonly recurrenceId: string | null;
  readonly timezone: string;
}

export const eventJob: Job<EventInput, EventReading> = {
  input: z.object({
    ics: z.string(),
    uid: z.string(),
    recurrenceId: z.string().nullable(),
    timezone: z.string(),
  }),
  output: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('event'),
      event: eventFactsShape,
      locked: z.enum(EVENT_LOCKS).nullable(),
      isZoneDisputed: z.boolean(),
      alongside: z.string(),
      invitations: z.array(z.object({ address: z.string(), state: z.enum(INVITATION_STATES) })).optional(),
    }),
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('unreadable') }),
  ]),
  read: async (input) => reading(input, USUAL_BOUNDS),
  readShort(input) {
    if (!isShortObject(input.ics.length)) return undefined;
    const found = reading(input, SHORT_BOUNDS);
    return found.kind === 'event' ? found : undefined;
  },
};

function reading({ ics, timezone, ...key }: EventInput, bounds: ReadingBounds): EventReading {
  try {
    return readEvent(ics, key, timezone, bounds);
  } catch (error) {
    if (error instanceof BrokenObject) return { kind: 'unreadable' };
    throw error;
  }
}

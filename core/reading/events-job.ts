import * as z from 'zod';
import { type Expansion, LEFT_OUT, type RangeQuery } from '../calendar/event.ts';
import { eventShape } from './event-shapes.ts';
import type { Job } from './job.ts';

/** Finds the events of several iCalendar objects that overlap a range of time. */

export interface EventsInput extends RangeQuery {
  readonly objects: readonly string[];
}

/**
 * The contents of each object, in order; null: it cannot be read. Shorter than `objects` if the limits of one job end
 * it early; the remaining objects were not read. Never empty unless `objects` is.
 */
export type EventsReading = readonly (Expansion | null)[];

const expansion = z.object({
  events: z.array(eventShape.extend({ leftOut: z.array(z.enum(LEFT_OUT)) })),
  cut: z.boolean(),
  isFollowed: z.boolean(),
});

export const eventsJob: Job<EventsInput, EventsReading> = {
  input: z.object({ objects: z.array(z.string()), from: z.date(), to: z.date(), timezone: z.string() }),
  output: z.array(expansion.nullable()),
  maxCpuMs: 3000,
};

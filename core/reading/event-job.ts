import * as z from 'zod';
import { EVENT_LOCKS, type EventReading, INVITATION_STATES } from '../calendar/event-document.ts';
import { eventFactsShape } from './event-shapes.ts';
import type { Job } from './job.ts';

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
};

import * as z from 'zod';
import { AGENTS, ANSWERS, type EventFacts, ROLES } from '../calendar/event.ts';

/** The schemas of events from a reading process, checked on arrival. */

const participant = z.object({ address: z.string(), isMail: z.boolean(), name: z.string() });

/** An event as a list shows it. */
export const eventShape = z.object({
  uid: z.string(),
  recurrenceId: z.string().nullable(),
  title: z.string(),
  organizer: participant.nullable(),
  start: z.date(),
  end: z.date(),
  allDay: z.boolean(),
  status: z.enum(['confirmed', 'tentative', 'cancelled']),
  recurring: z.boolean(),
});

export const eventFactsShape: z.ZodType<EventFacts> = eventShape.extend({
  sequence: z.number(),
  location: z.string(),
  description: z.string(),
  attendees: z.array(
    participant.extend({ agent: z.enum(AGENTS), answer: z.enum(ANSWERS), role: z.enum(ROLES) }),
  ),
});

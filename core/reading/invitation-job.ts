import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import type { Invitation } from '../mail/compose.ts';
import { eventFactsShape } from './event-shapes.ts';
import type { Job } from './job.ts';

/** Writes the calendar part of an invitation, and reads it again. Null if it would not match the event. */

export interface InvitationInput {
  readonly method: Invitation['method'];
  readonly facts: EventFacts;
  readonly timezone: string;
  readonly stamp: Date;
}

export const invitationJob: Job<InvitationInput, string | null> = {
  input: z.object({
    method: z.enum(['REQUEST', 'CANCEL']),
    facts: eventFactsShape,
    timezone: z.string(),
    stamp: z.date(),
  }),
  output: z.string().nullable(),
};

import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { eventFacts } from '../calendar/event-facts.ts';
import { invitationObject, invitedFacts } from '../calendar/invitation.ts';
import type { Invitation } from '../mail/compose.ts';
import { canonicalJson } from '../text/canonical-json.ts';
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
  async read({ method, facts, timezone, stamp }) {
    const ics = invitationObject(method, facts, { timezone, stamp });
    const reread = eventFacts(ics, facts, timezone);
    return reread !== undefined && comparable(reread) === comparable(facts) ? ics : null;
  },
};

/** All facts of an invitation, for comparison. */
export function comparable(facts: EventFacts): string {
  return canonicalJson(invitedFacts(facts));
}

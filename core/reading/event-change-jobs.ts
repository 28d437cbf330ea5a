import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { changedEvent, objectWithout } from '../calendar/event-change.ts';
import { eventFactsShape } from './event-shapes.ts';
import type { Job } from './job.ts';

/** Changes of untrusted iCalendar objects. Null if an object cannot be changed reliably. */

export interface ObjectToChange {
  readonly ics: string;
  readonly timezone: string;
  readonly stamp: Date;
}

const toChange = { ics: z.string(), timezone: z.string(), stamp: z.date() };

export const changedEventJob: Job<
  ObjectToChange & { readonly before: EventFacts; readonly after: EventFacts },
  string | null
> = {
  input: z.object({ ...toChange, before: eventFactsShape, after: eventFactsShape }),
  output: z.string().nullable(),
  read: async ({ ics, before, after, ...writing }) => changedEvent(ics, { before, after }, writing) ?? null,
};

/** `left` null: nothing is left of the object. */
export const objectWithoutJob: Job<
  ObjectToChange & { readonly uid: string; readonly recurrenceId: string | null },
  { readonly left: string | null } | null
> = {
  input: z.object({ ...toChange, uid: z.string(), recurrenceId: z.string().nullable() }),
  output: z.object({ left: z.string().nullable() }).nullable(),
  async read({ ics, uid, recurrenceId, ...writing }) {
    const left = objectWithout(ics, { uid, recurrenceId }, writing);
    return left === undefined ? null : { left };
  },
};

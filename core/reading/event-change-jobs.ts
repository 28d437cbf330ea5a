import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { eventFactsShape } from './event-shapes.ts';
import type { Job } from './job.ts';

/** New and changed iCalendar objects. Null if one cannot be written so that it reads as intended. */

export interface ObjectWriting {
  readonly timezone: string;
  readonly stamp: Date;
}

export interface CreatedEvent extends ObjectWriting {
  readonly event: EventFacts;
}

export interface ChangedEvent extends ObjectWriting {
  readonly ics: string;
  readonly before: EventFacts;
  readonly after: EventFacts;
}

export interface ObjectWithout extends ObjectWriting {
  readonly ics: string;
  readonly uid: string;
  readonly recurrenceId: string | null;
}

const writing = { timezone: z.string(), stamp: z.date() };
const object = z.string().nullable();

export const createdEventJob: Job<CreatedEvent, string | null> = {
  input: z.object({ ...writing, event: eventFactsShape }),
  output: object,
};

export const changedEventJob: Job<ChangedEvent, string | null> = {
  input: z.object({ ...writing, ics: z.string(), before: eventFactsShape, after: eventFactsShape }),
  output: object,
};

/** `left` null: nothing is left of the object. */
export const objectWithoutJob: Job<ObjectWithout, { readonly left: string | null } | null> = {
  input: z.object({ ...writing, ics: z.string(), uid: z.string(), recurrenceId: z.string().nullable() }),
  output: z.object({ left: object }).nullable(),
};

/**
 * The lines that a change takes out of an iCalendar document (`-`) and puts into it (`+`), in their order and without
 * folds.
 */
export const changedLinesJob: Job<{ readonly before: string; readonly after: string }, string> = {
  input: z.object({ before: z.string(), after: z.string() }),
  output: z.string(),
};

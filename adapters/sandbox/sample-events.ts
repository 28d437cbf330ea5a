import * as z from 'zod';
import type { CalendarEvent } from '../../core/calendar/event.ts';
import data from './sample-events.json' with { type: 'json' };

export interface SampleEvent {
  readonly uid: string;
  readonly title: string;
  /** Days after the sandbox was opened; for a series, its first event. */
  readonly day: number;
  /** UTC, `HH:MM`. */
  readonly time: string;
  readonly lengthMin: number;
  /** Default: `confirmed`. */
  readonly status?: CalendarEvent['status'];
  /** Makes it a series without an end. */
  readonly everyDays?: number;
}

const event = z.strictObject({
  uid: z.string(),
  title: z.string(),
  day: z.int(),
  time: z.string().regex(/^\d\d:\d\d$/),
  lengthMin: z.int().min(1),
  status: z.enum(['confirmed', 'tentative', 'cancelled']).exactOptional(),
  everyDays: z.int().min(1).exactOptional(),
});

let samples: readonly SampleEvent[] | undefined;

/** The calendar that goes with the sample mail. A stranger wrote one of the titles, to trick programs. */
export function sampleEvents(): readonly SampleEvent[] {
  samples ??= z.array(event).parse(data);
  return samples;
}

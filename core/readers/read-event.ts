import type { EventReading } from '../calendar/event-document.ts';
import { readEvent } from '../ical/event-facts.ts';
import { BrokenObject } from '../ical/object.ts';
import type { EventInput } from '../reading/event-job.ts';

export function readDocumentEvent({ ics, timezone, ...key }: EventInput): EventReading {
  try {
    return readEvent(ics, key, timezone);
  } catch (error) {
    if (error instanceof BrokenObject) return { kind: 'unreadable' };
    throw error;
  }
}

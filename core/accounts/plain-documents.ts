import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import type { EventDocuments } from '../ports/calendar.ts';
import { eventFactsShape } from '../reading/event-shapes.ts';

/**
 * Documents for a calendar without a format of its own. Each contains one event, as JSON with times in ISO 8601.
 * Other fields of a document are kept and shown to the owner.
 */
export const plainDocuments: EventDocuments = {
  async read(document, { uid, recurrenceId }) {
    const event = plainEvent(document);
    if (event === undefined) return { kind: 'unreadable' };
    if (event.uid !== uid || event.recurrenceId !== recurrenceId) return { kind: 'none' };
    return {
      kind: 'event',
      event,
      locked: null,
      isZoneDisputed: false,
      alongside: alongside(document, event),
    };
  },
  create: async (event) => JSON.stringify(event),
  async change(document, { before, after }) {
    const fields = fieldsOf(document);
    return fields && JSON.stringify({ ...fields, ...after, sequence: before.sequence + 1 });
  },
  without: async () => null,
};

/** Reads the event of a document. Undefined if it has none, or none that can be read. */
export function plainEvent(document: string): EventFacts | undefined {
  const fields = fieldsOf(document);
  const times = z.object({ start: z.iso.datetime(), end: z.iso.datetime() }).safeParse(fields);
  if (!times.success) return undefined;
  const { start, end } = times.data;
  const event = eventFactsShape.safeParse({ ...fields, start: new Date(start), end: new Date(end) });
  return event.success ? event.data : undefined;
}

function fieldsOf(document: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(document));
  } catch {
    return undefined; // not a JSON object
  }
}

function alongside(document: string, event: EventFacts): string {
  const others = Object.entries(fieldsOf(document) ?? {}).filter(([name]) => !Object.hasOwn(event, name));
  return others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n');
}

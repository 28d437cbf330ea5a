import type { KeyInDocument } from './event-document.ts';
import type { EventPart } from './ical/object.ts';
import { recurrenceIdOf } from './ical/recurrence-id.ts';

/** Which VEVENT of an object an event is said by. */
export interface PartFound {
  readonly part: EventPart;
  /** It says this event alone; false: an instance of its series that nobody has changed. */
  readonly own: boolean;
}

/** Undefined: by none. */
export function partOf(parts: readonly EventPart[], key: KeyInDocument): PartFound | undefined {
  const among = parts.filter(({ uid }) => uid === key.uid);
  const own = among.find((part) => nameOf(part) === key.recurrenceId);
  if (own !== undefined) return { part: own, own: true };
  const master = among.find(({ recurrenceId }) => recurrenceId === undefined);
  return master && { part: master, own: false };
}

function nameOf({ recurrenceId }: EventPart): string | null {
  return recurrenceId === undefined ? null : recurrenceIdOf(recurrenceId);
}

/** RFC 5545 3.3.5, form 1: `20261121T090000`. */
export function basicTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

import type { KeyInDocument } from '../calendar/event-document.ts';
import { compareRevisions, type EventPart } from './object.ts';
import { recurrenceIdOf } from './recurrence-id.ts';

/** The VEVENT of an object that describes an event. */
export interface PartFound {
  readonly part: EventPart;
  /** True if it describes only this event. False: it is the series, and the instance has no override. */
  readonly own: boolean;
  /** False: the object has another one for the same event. */
  readonly isUnique: boolean;
}

/** Undefined if none does. */
export function partOf(parts: readonly EventPart[], key: KeyInDocument): PartFound | undefined {
  const among = parts.filter(({ uid }) => uid === key.uid);
  const named = (name: string | null) => among.filter((part) => nameOf(part) === name);
  const [own, masters] = [named(key.recurrenceId), named(null)];
  // As the series shows it: the newest.
  const [part] = (own.length > 0 ? own : masters).toSorted((a, b) => compareRevisions(b, a));
  const isUnique = own.length < 2 && masters.length < 2;
  return part && { part, own: own.length > 0, isUnique };
}

function nameOf({ recurrenceId }: EventPart): string | null {
  return recurrenceId === undefined ? null : recurrenceIdOf(recurrenceId);
}

/** RFC 5545 3.3.5, form 1: `20261121T090000`. */
export function basicTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

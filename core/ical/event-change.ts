import type { EventFacts } from '../calendar/event.ts';
import type { DocumentWriting, KeyInDocument } from '../calendar/event-document.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import {
  changeBetween,
  changedObject,
  newObject,
  type Writing,
  withoutEvent,
  withoutInstance,
} from './compose-event.ts';
import { eventFacts, readEvent } from './event-facts.ts';
import { BrokenObject } from './object.ts';
import { writingZone } from './written-time.ts';

/** Changes iCalendar objects. Each result is read again and returned only if it matches the intended event. */

type ChangeWriting = Pick<DocumentWriting, 'timezone' | 'stamp'>;

/** Undefined if neither way of writing matches the event. */
export function createdObject(event: EventFacts, writing: ChangeWriting): string | undefined {
  return composed(
    writing,
    (how) => newObject(event, how),
    (text) => matches(eventFacts(text, event, writing.timezone), event),
  );
}

/** Undefined if the object cannot be changed reliably. */
export function changedEvent(
  ics: string,
  { before, after }: { readonly before: EventFacts; readonly after: EventFacts },
  writing: ChangeWriting,
): string | undefined {
  const { timezone } = writing;
  return orUndefined(() =>
    composed(
      writing,
      (how) => changedObject(ics, before, changeBetween(before, after), { ...how, timezone }),
      (text) => {
        const reread = readEvent(text, after, timezone);
        if (reread.kind !== 'event') return false;
        const { event, isZoneDisputed } = reread;
        // Others may read a new time by the object's own description of the zone.
        if (isZoneDisputed && event.start.getTime() !== before.start.getTime()) return false;
        return (
          event.sequence > before.sequence && matches({ ...event, sequence: 0 }, { ...after, sequence: 0 })
        );
      },
    ),
  );
}

/** Null: nothing is left of the object. Undefined: the event cannot be removed reliably. */
export function objectWithout(
  ics: string,
  { uid, recurrenceId }: KeyInDocument,
  { timezone, stamp }: ChangeWriting,
): string | null | undefined {
  return orUndefined(() => {
    const rest =
      recurrenceId === null ? withoutEvent(ics, uid) : withoutInstance(ics, { uid, recurrenceId }, { stamp });
    if (rest === null) return null;
    const isThere = eventFacts(rest, { uid, recurrenceId }, timezone) !== undefined;
    return isThere ? undefined : rest;
  });
}

/**
 * Composes with times in the owner's zone. If that does not read back as intended (the object describes a zone of
 * that name differently), composes with times in UTC. Undefined if neither does.
 */
function composed(
  { timezone, stamp }: ChangeWriting,
  compose: (writing: Writing) => string,
  isFaithful: (ics: string) => boolean,
): string | undefined {
  for (const zone of new Set([writingZone(timezone), undefined])) {
    const ics = compose({ zone, stamp });
    if (orUndefined(() => isFaithful(ics)) === true) return ics;
  }
  return undefined;
}

function matches(reread: EventFacts | undefined, expected: EventFacts): boolean {
  return canonicalJson(reread) === canonicalJson(expected);
}

/** An object that cannot be read cannot be changed either. */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

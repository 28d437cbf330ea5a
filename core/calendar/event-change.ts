import { canonicalJson } from '../text/canonical-json.ts';
import { changeBetween, changedObject, newObject, type Writing, withoutInstance } from './compose-event.ts';
import type { EventFacts } from './event.ts';
import type { DocumentWriting, KeyInDocument } from './event-document.ts';
import { eventFacts, readEvent } from './event-facts.ts';
import { BrokenObject } from './ical/object.ts';
import { writingZone } from './written-time.ts';

/** Changes of an iCalendar object, each read again: what does not say the event as it is to be is not given out. */

type ChangeWriting = Pick<DocumentWriting, 'timezone' | 'stamp'>;

/** @throws Error when neither way of writing says the event */
export function createdObject(event: EventFacts, writing: ChangeWriting): string {
  const ics = composed(
    writing,
    (how) => newObject(event, how),
    (text) => saysAll(eventFacts(text, event, writing.timezone), event),
  );
  if (ics === undefined) throw new Error('the composed object says something else');
  return ics;
}

/** Undefined: it cannot be changed for sure. */
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
        const says = readEvent(text, after, timezone);
        if (says.kind !== 'event') return false;
        const { event, isZoneDisputed } = says;
        // Others may read a new time by the object's own description of the zone.
        if (isZoneDisputed && event.start.getTime() !== before.start.getTime()) return false;
        return (
          event.sequence > before.sequence && saysAll({ ...event, sequence: 0 }, { ...after, sequence: 0 })
        );
      },
    ),
  );
}

/** Null: nothing is left of the object. Undefined: the event cannot be taken out for sure. */
export function objectWithout(
  ics: string,
  { uid, recurrenceId }: KeyInDocument,
  { timezone, stamp }: ChangeWriting,
): string | null | undefined {
  if (recurrenceId === null) return null;
  return orUndefined(() => {
    const rest = withoutInstance(ics, { uid, recurrenceId }, { stamp });
    const isThere = rest !== null && eventFacts(rest, { uid, recurrenceId }, timezone) !== undefined;
    return isThere ? undefined : rest;
  });
}

/**
 * Composes with the times in the owner's zone, and in UTC if an object written like that would not be read as it is
 * meant (it describes a zone of that name in its own way). Undefined: neither says what is meant.
 */
function composed(
  { timezone, stamp }: ChangeWriting,
  compose: (writing: Writing) => string,
  isMeant: (ics: string) => boolean,
): string | undefined {
  for (const zone of new Set([writingZone(timezone), undefined])) {
    const ics = compose({ zone, stamp });
    if (orUndefined(() => isMeant(ics)) === true) return ics;
  }
  return undefined;
}

function saysAll(says: EventFacts | undefined, meant: EventFacts): boolean {
  return canonicalJson(says) === canonicalJson(meant);
}

/** What cannot be read cannot be changed either. */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

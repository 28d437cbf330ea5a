import type ICAL from 'ical.js';
import { type Agent, ANSWERS, type EventFacts, type ExpandedEvent, ROLES } from '../calendar/event.ts';
import type { EventLock, EventReading, InvitationStatus, KeyInDocument } from '../calendar/event-document.ts';
import { otherContentOf } from './alongside.ts';
import { eventsIn, parseObject } from './content-lines.ts';
import { eventAmong } from './expand.ts';
import { BrokenObject, type EventPart, MAX_ZONE_STEPS, readObject, textOf } from './object.ts';
import { partOf } from './object-part.ts';
import { parameterOf, participant } from './participant.ts';
import { zoneOf } from './vtimezone.ts';

/** Reads what an object says about one event: what the owner sees and what others are notified of. Uses ical.js. */

/** Reads the event with that key. @param timezone the owner's @throws BrokenObject */
export function readEvent(ics: string, key: KeyInDocument, timezone: string): EventReading {
  const parts = readObject(ics);
  const found = partOf(parts, key);
  const event = eventAmong(parts, key, timezone);
  if (event === undefined || found === undefined) return { kind: 'none' };
  const alongside = linesAlongside(ics, found.part);
  // RANGE=THISANDFUTURE: an override of one instance also applies to all later ones.
  const isSplit = parts.some(({ andFuture }) => andFuture);
  // The owner's page shows a disputed zone.
  const isWhole = alongside !== undefined && event.leftOut.every((part) => part === 'VTIMEZONE');
  return {
    kind: 'event',
    event: factsOf(event, found.part),
    locked: lockOf({ isWhole, isSplit, isUnique: found.isUnique }),
    isZoneDisputed: isDisputed(found.part.start, [event.start, event.end]),
    alongside: alongside ?? '',
    invitations: attendeesIn(found.part).map((attendee) => ({
      address: participant(attendee).address,
      state: invitationStateOf(parameterOf(attendee, 'schedule-status')),
    })),
  };
}

function lockOf(event: { isWhole: boolean; isSplit: boolean; isUnique: boolean }): EventLock | null {
  if (!event.isWhole) return 'unreadable';
  if (!event.isUnique) return 'not_unique';
  return event.isSplit ? 'split_series' : null;
}

/** Only the event's facts. Undefined if the object does not contain it. @throws BrokenObject */
export function eventFacts(ics: string, key: KeyInDocument, timezone: string): EventFacts | undefined {
  const parts = readObject(ics);
  const found = partOf(parts, key);
  const event = eventAmong(parts, key, timezone);
  return event && found && factsOf(event, found.part);
}

/** @param instants times at which the object's own description of the zone may differ from the zone */
function isDisputed({ zone, described }: EventPart['start'], instants: readonly Date[]): boolean {
  if (zone === undefined || described === undefined) return false;
  const own = zoneOf(described, { left: MAX_ZONE_STEPS });
  return (
    own === undefined || instants.some((at) => own.offsetMs(at.getTime()) !== zone.offsetMs(at.getTime()))
  );
}

function attendeesIn({ component }: EventPart): ICAL.Property[] {
  return component.getAllProperties('attendee');
}

/** SCHEDULE-STATUS (RFC 6638 3.2.9, 7.3): one or several codes. */
function invitationStateOf(status: string): InvitationStatus['state'] {
  const codes = status === '' ? [] : status.split(',').map((code) => code.trim());
  if (codes.some((code) => /^[345]/.test(code))) return 'failed';
  return codes.length > 0 && codes.every((code) => /^[12]\./.test(code)) ? 'sent' : 'unknown';
}

function factsOf({ leftOut: _leftOut, ...event }: ExpandedEvent, part: EventPart): EventFacts {
  const {
    component,
    revision: [sequence],
  } = part;
  return {
    ...event,
    sequence,
    location: textOf(component, 'location'),
    description: textOf(component, 'description'),
    attendees: attendeesIn(part).map((property) => ({
      ...participant(property),
      agent: agentOf(property),
      answer: among(ANSWERS, parameterOf(property, 'partstat')),
      role: among(ROLES, parameterOf(property, 'role')),
    })),
  };
}

/** Undefined: its lines cannot be told apart, so none of them can be changed. */
function linesAlongside(ics: string, { index }: EventPart): string | undefined {
  try {
    const calendar = parseObject(ics);
    const event = eventsIn(calendar)[index];
    return event && otherContentOf(calendar, event);
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

function among<T extends string>(values: readonly [T, ...T[]], value: string): T {
  return values.find((one) => one === value.toUpperCase()) ?? values[0];
}

/** RFC 6638 7.1: an unknown value means nobody. */
function agentOf(property: ICAL.Property): Agent {
  const agent = parameterOf(property, 'schedule-agent').toUpperCase();
  if (agent === '' || agent === 'SERVER') return 'server';
  return agent === 'CLIENT' ? 'client' : 'none';
}

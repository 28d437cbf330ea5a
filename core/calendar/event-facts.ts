import type ICAL from 'ical.js';
import { BrokenObject, eventInObject } from '../ical/expand.ts';
import { eventComponents, readObject } from '../ical/object.ts';
import type { CalendarEvent } from '../ports/calendar.ts';
import { isDeliverable } from '../schema.ts';
import { type KeyInObject, partOf } from './object-part.ts';

/** What an object says about one event, as far as the owner is shown it and others are told it. Read by ical.js. */
export interface EventFacts extends Omit<CalendarEvent, 'calendar'> {
  readonly sequence: number;
  readonly location: string;
  readonly description: string;
  readonly organizer: Participant | null;
  readonly attendees: readonly Attendee[];
}

interface Participant {
  /** The address; where it is none that every server can be given, the whole URI. */
  readonly address: string;
  readonly isMail: boolean;
  /** As the object calls them; empty where it does not. */
  readonly name: string;
}

export interface Attendee extends Participant {
  readonly agent: Agent;
  readonly answer: Answer;
  readonly role: Role;
}

/** PARTSTAT and ROLE (RFC 5545 3.2.12, 3.2.16), in upper case; any other value means the first. */
const ANSWERS = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED'] as const;
const ROLES = ['REQ-PARTICIPANT', 'OPT-PARTICIPANT', 'NON-PARTICIPANT', 'CHAIR'] as const;
type Answer = (typeof ANSWERS)[number];
type Role = (typeof ROLES)[number];

/** SCHEDULE-AGENT (RFC 6638 7.1): who tells an attendee of the event. */
export type Agent = 'server' | 'client' | 'none';

/**
 * The event of that key; undefined when the object has none like it.
 * @param timezone the owner's
 * @throws BrokenObject
 */
export function eventFacts(ics: string, key: KeyInObject, timezone: string): EventFacts | undefined {
  const event = eventInObject(ics, key, { calendar: '', timezone });
  const part = partOf(readObject(ics), key);
  if (event === undefined || part === undefined) return undefined;
  const component = eventComponents(ics)[part.index];
  if (component === undefined) throw new BrokenObject('an event is not where it was read');
  const { calendar: _calendar, ...known } = event;
  const sequence = component.getFirstPropertyValue('sequence');
  const [organizer] = component.getAllProperties('organizer');
  return {
    ...known,
    sequence: typeof sequence === 'number' ? sequence : 0,
    location: textOf(component, 'location'),
    description: textOf(component, 'description'),
    organizer: organizer === undefined ? null : participant(organizer),
    attendees: component.getAllProperties('attendee').map((property) => ({
      ...participant(property),
      agent: agentOf(property),
      answer: among(ANSWERS, parameterOf(property, 'partstat')),
      role: among(ROLES, parameterOf(property, 'role')),
    })),
  };
}

function among<T extends string>(values: readonly [T, ...T[]], value: string): T {
  return values.find((one) => one === value.toUpperCase()) ?? values[0];
}

function textOf(component: ICAL.Component, name: string): string {
  const value = component.getFirstPropertyValue(name);
  return typeof value === 'string' ? value : '';
}

/** RFC 6068: an address in a `mailto:` has some of its characters percent-encoded. */
function participant(property: ICAL.Property): Participant {
  const uri = String(property.getFirstValue());
  const encoded = /^mailto:(.*)$/is.exec(uri)?.[1];
  const address = encoded === undefined ? undefined : decoded(encoded);
  const isMail = address !== undefined && isDeliverable(address);
  return { address: isMail ? address : uri, isMail, name: parameterOf(property, 'cn') };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a percent sign that encodes nothing: no mail address
  }
}

/** RFC 6638 7.1: a value that is not known means nobody. */
function agentOf(property: ICAL.Property): Agent {
  const agent = parameterOf(property, 'schedule-agent').toUpperCase();
  if (agent === '' || agent === 'SERVER') return 'server';
  return agent === 'CLIENT' ? 'client' : 'none';
}

function parameterOf(property: ICAL.Property, name: string): string {
  // Its type says that there always is one.
  const value: unknown = property.getParameter(name);
  return typeof value === 'string' ? value : '';
}

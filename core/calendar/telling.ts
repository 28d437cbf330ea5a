import { normalAddress } from '../contract/schema.ts';
import type { Agent, EventFacts } from './event.ts';

/** Who is told when an event of ours changes, and how: each attendee once. Source: RFC 6638 7.1; DESIGN. */
export interface Telling {
  /** The calendar server writes to them. */
  readonly byServer: readonly string[];
  /** We write to them. */
  readonly byMail: readonly string[];
  /** Nobody does, before the event is confirmed. */
  readonly notYet: readonly string[];
  /** Nobody can: they have no mail address. */
  readonly unreachable: readonly string[];
}

export const NOBODY: Telling = { byServer: [], byMail: [], notYet: [], unreachable: [] };

/**
 * @param event as its attendees are to know it
 * @param self the account's address
 * @param schedules of the calendar: see CalendarInfo
 */
export function tellingOf(event: EventFacts, self: string, schedules: boolean): Telling {
  if (!isOurs(event, self)) return NOBODY;
  const ways = new Map<string, { readonly address: string; readonly way: keyof Telling }>();
  for (const { address, isMail, agent } of event.attendees) {
    const person = normalAddress(address);
    if (person === normalAddress(self)) continue;
    const by = told(agent, schedules);
    const known = ways.get(person)?.address ?? address;
    ways.set(person, { address: known, way: by === 'byMail' && !isMail ? 'unreachable' : by });
  }
  const those = (wanted: keyof Telling) =>
    [...ways.values()].flatMap(({ address, way }) => (way === wanted ? [address] : []));
  return {
    byServer: those('byServer'),
    byMail: those('byMail'),
    notYet: those('notYet'),
    unreachable: those('unreachable'),
  };
}

function told(agent: Agent, schedules: boolean): 'byServer' | 'byMail' | 'notYet' {
  if (agent === 'none') return 'notYet';
  return agent === 'server' && schedules ? 'byServer' : 'byMail';
}

/** An event without an organizer is the owner's alone. */
export function isOurs({ organizer }: EventFacts, self: string): boolean {
  return organizer === null || normalAddress(organizer.address) === normalAddress(self);
}

/** All who are written to, by whomever. */
export function recipientsOf({ byServer, byMail }: Telling): string[] {
  return [...byServer, ...byMail];
}

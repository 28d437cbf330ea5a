import { normalAddress } from '../contract/schema.ts';
import type { Agent, EventFacts } from './event.ts';

/** Who is notified when an event of the owner changes, and how: each attendee once. Source: RFC 6638 7.1; DESIGN. */
export interface EventNotices {
  /** The calendar server writes to them. */
  readonly byServer: readonly string[];
  /** Countersign writes to them. */
  readonly byMail: readonly string[];
  /** Nobody does until the event is confirmed. */
  readonly notYet: readonly string[];
  /** Nobody can: they have no mail address. */
  readonly unreachable: readonly string[];
}

export const NO_NOTICES: EventNotices = { byServer: [], byMail: [], notYet: [], unreachable: [] };

/**
 * @param event as its attendees should see it
 * @param self the account's address
 * @param schedules from the CalendarInfo of its calendar
 */
export function noticesOf(event: EventFacts, self: string, schedules: boolean): EventNotices {
  if (!isOwnEvent(event, self)) return NO_NOTICES;
  const ways = new Map<string, { readonly address: string; readonly way: keyof EventNotices }>();
  for (const { address, isMail, agent } of event.attendees) {
    const person = normalAddress(address);
    if (person === normalAddress(self)) continue;
    const by = wayFor(agent, schedules);
    const known = ways.get(person)?.address ?? address;
    ways.set(person, { address: known, way: by === 'byMail' && !isMail ? 'unreachable' : by });
  }
  const withWay = (key: keyof EventNotices) =>
    [...ways.values()].flatMap(({ address, way }) => (way === key ? [address] : []));
  return {
    byServer: withWay('byServer'),
    byMail: withWay('byMail'),
    notYet: withWay('notYet'),
    unreachable: withWay('unreachable'),
  };
}

function wayFor(agent: Agent, schedules: boolean): 'byServer' | 'byMail' | 'notYet' {
  if (agent === 'none') return 'notYet';
  return agent === 'server' && schedules ? 'byServer' : 'byMail';
}

/** An event without an organizer belongs to the owner alone. */
export function isOwnEvent({ organizer }: EventFacts, self: string): boolean {
  return organizer === null || normalAddress(organizer.address) === normalAddress(self);
}

/** The addresses of everyone who takes part in the event, whether notified or not, except the owner. */
export function participantsOf({ attendees, organizer }: EventFacts, self: string): string[] {
  const people = organizer === null ? attendees : [organizer, ...attendees];
  const addresses = people.map(({ address }) => address);
  return addresses.filter((address) => normalAddress(address) !== normalAddress(self));
}

/** Everyone who receives a message, from the server or from Countersign. */
export function recipientsOf({ byServer, byMail }: EventNotices): string[] {
  return [...byServer, ...byMail];
}

import { normalAddress } from '../contract/schema.ts';
import type { Agent, EventFacts } from './event.ts';

/** Who is notified when an event of the owner changes, and how: each attendee once. Source: RFC 6638 7.1. */
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

/** Whose calendar an event is in. */
export interface CalendarOwner {
  /** The address of the account. */
  readonly email: string;
  readonly calendar: OwnersCalendar;
}

/** See CalendarInfo. */
interface OwnersCalendar {
  readonly schedules: boolean;
  readonly answersOrganizers: boolean;
  readonly ownAddresses?: readonly string[] | undefined;
}

/** @param event as its attendees should see it */
export function noticesOf(event: EventFacts, owner: CalendarOwner): EventNotices {
  if (!isOwnEvent(event, owner)) return NO_NOTICES;
  const byServer = isToldByServer(event, owner);
  const isOwner = ownerTest(owner);
  const ways = new Map<string, { readonly address: string; readonly way: keyof EventNotices }>();
  for (const { address, isMail, agent } of event.attendees) {
    if (isOwner(address)) continue;
    const person = normalAddress(address);
    const by = wayFor(agent, byServer);
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

function wayFor(agent: Agent, byServer: boolean): 'byServer' | 'byMail' | 'notYet' {
  if (agent === 'none') return 'notYet';
  return agent === 'server' && byServer ? 'byServer' : 'byMail';
}

/**
 * Whether the calendar's server writes to the attendees of an event of the owner: it may know the owner by the address that
 * organizes the event even if it does not know that of the account.
 */
export function isToldByServer({ organizer }: EventFacts, { email, calendar }: CalendarOwner): boolean {
  const isByAccount = organizer === null || normalAddress(organizer.address) === normalAddress(email);
  return isByAccount ? calendar.schedules : calendar.answersOrganizers;
}

/**
 * Tells whether an address in an event is the owner's: the account's, or one by which the calendar's server knows the
 * owner.
 */
export function ownerTest({ email, calendar }: CalendarOwner): (address: string) => boolean {
  const own = new Set([email, ...(calendar.ownAddresses ?? [])].map(comparable));
  return (address) => own.has(comparable(address));
}

/** Servers write the address of a principal with a slash at its end, or without. */
function comparable(address: string): string {
  const normal = normalAddress(address);
  return normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** An event without an organizer belongs to the owner alone. */
export function isOwnEvent({ organizer }: EventFacts, owner: CalendarOwner): boolean {
  return organizer === null || ownerTest(owner)(organizer.address);
}

/** The addresses of everyone who takes part in the event, whether notified or not, except the owner. */
export function participantsOf({ attendees, organizer }: EventFacts, owner: CalendarOwner): string[] {
  const isOwner = ownerTest(owner);
  const people = organizer === null ? attendees : [organizer, ...attendees];
  const addresses = people.map(({ address }) => address);
  return addresses.filter((address) => !isOwner(address));
}

/** Everyone who receives a message, from the server or from Countersign. */
export function recipientsOf({ byServer, byMail }: EventNotices): string[] {
  return [...byServer, ...byMail];
}

import { ServiceError } from '../errors.ts';
import { BrokenObject } from '../ical/expand.ts';
import { ianaZone, instantOf } from '../ical/zone.ts';
import { MINUTE_MS } from '../limits.ts';
import { canonicalJson } from '../plan.ts';
import { invalidArgument, normalAddress } from '../schema.ts';
import type { CallContext, Planned } from '../tools/define-tool.ts';
import {
  changedObject,
  type EventChange,
  type Invited,
  newObject,
  type Writing,
  withoutInstance,
} from './compose-event.ts';
import { type Agent, type Attendee, type EventFacts, eventFacts } from './event-facts.ts';
import { planEvent } from './event-plan.ts';
import { calendarForNew, type FoundEvent, findEvent, unchangeable } from './find-event.ts';
import { isOurs } from './telling.ts';
import { writingZone } from './written-time.ts';

/** The changes that the tools of the calendar plan: composed, read again, and refused where they say something else. */

interface NewEventArguments {
  readonly title: string;
  readonly start: string;
  readonly duration_min: number;
  readonly attendee?: string | undefined;
}

export async function newEvent(
  tool: string,
  status: 'CONFIRMED' | 'TENTATIVE',
  args: NewEventArguments,
  context: CallContext,
): Promise<Planned> {
  const { owner, ports } = context;
  const { account, calendar } = await calendarForNew(context);
  const attendee = args.attendee ?? null;
  refuseSelf(attendee, account.email);
  const start = wallClock(args.start, owner.timezone);
  const end = new Date(start.getTime() + args.duration_min * MINUTE_MS);
  const unique = Buffer.from(ports.random(16)).toString('hex');
  const key = {
    calendar: calendar.calendar,
    uid: `${unique}@${account.email.slice(account.email.lastIndexOf('@') + 1)}`,
    recurrenceId: null,
  };
  const agent: Agent = status === 'TENTATIVE' ? 'none' : calendar.schedules ? 'server' : 'client';
  const invited: Invited | null = attendee === null ? null : { organizer: account.email, attendee, agent };
  const { title } = args;
  const composed = composedAs(
    context,
    (writing) => newObject({ uid: key.uid, title, start, end, status, invited }, writing),
    key,
    (says) =>
      canonicalJson(says) ===
      canonicalJson({
        uid: key.uid,
        recurrenceId: null,
        title,
        start,
        end,
        allDay: false,
        status: status === 'TENTATIVE' ? 'tentative' : 'confirmed',
        recurring: false,
        sequence: 0,
        location: '',
        description: '',
        organizer: attendee === null ? null : mailParticipant(account.email),
        attendees: attendee === null ? [] : [newAttendee(attendee, agent)],
      } satisfies EventFacts),
  );
  if (composed === undefined) throw new ServiceError('internal_error', { cause: new Error(SAYS_ELSE) });
  const [eventId] = await ports.storage.eventNumbers(owner.ownerId, account.accountId, [key]);
  if (eventId === undefined) throw new Error('the number of an event was not given');
  const plan = await planEvent(context, {
    tool,
    account,
    eventId,
    key,
    place: { calendar: calendar.calendar, name: `${unique}.ics` },
    calendar,
    replaced: null,
    ics: composed.ics,
    told: { method: 'REQUEST', ...composed },
    title,
    attendee,
  });
  const invitee = attendee === null ? null : normalAddress(attendee);
  const request = { calendar: [account.accountId, calendar.calendar], title, start, end, invitee };
  return { plan, request, targets: [] };
}

interface ChangeArguments {
  readonly event_id: number;
  readonly title?: string | undefined;
  readonly start?: string | undefined;
  readonly duration_min?: number | undefined;
  readonly attendee?: string | undefined;
}

export async function changedEvent(args: ChangeArguments, context: CallContext): Promise<Planned> {
  const found = await findEvent(context, args.event_id);
  const { account, stored, facts } = found;
  const { schedules } = stored.calendar;
  refuseWhatIsNotToChange(found);
  refuseSelf(args.attendee ?? null, account.email);
  const time = timeOf(args, facts, context.owner.timezone);
  const isThere = facts.attendees.some(
    ({ address }) => normalAddress(address) === normalAddress(args.attendee ?? ''),
  );
  const attendee = args.attendee === undefined || isThere ? null : args.attendee;
  const agent: Agent = facts.status === 'tentative' ? 'none' : schedules ? 'server' : 'client';
  const change: EventChange = {
    ...(args.title === undefined ? {} : { title: args.title }),
    ...(time === undefined ? {} : { time }),
    ...(attendee === null ? {} : { invited: { organizer: account.email, attendee, agent } }),
    self: account.email,
    agentOf: (now) => (now === 'server' && !schedules ? 'client' : now),
  };
  return planned(context, found, {
    tool: 'update_event',
    change,
    title: args.title ?? '',
    attendee,
    request: {
      title: args.title,
      start: time?.start,
      end: time?.end,
      invitee: args.attendee && normalAddress(args.attendee),
    },
  });
}

export async function confirmedEvent(args: { event_id: number }, context: CallContext): Promise<Planned> {
  const found = await findEvent(context, args.event_id);
  const { account, stored, facts } = found;
  refuseWhatIsNotToChange(found);
  if (facts.status === 'confirmed')
    throw unchangeable('confirmed', 'names an event that is confirmed already');
  const change: EventChange = {
    status: 'CONFIRMED',
    self: account.email,
    agentOf: (now) => (now === 'client' || !stored.calendar.schedules ? 'client' : 'server'),
  };
  return planned(context, found, { tool: 'confirm_event', change, title: '', attendee: null, request: {} });
}

/**
 * The event leaves the calendar, whoever's it is; the attendees of one of the owner's are told that it is cancelled.
 */
export async function cancelledEvent(args: { event_id: number }, context: CallContext): Promise<Planned> {
  const found = await findEvent(context, args.event_id);
  const { account, stored, facts } = found;
  const { recurrenceId } = facts;
  const cancelled = saysCancelled(found, context);
  const ics =
    recurrenceId === null
      ? null
      : withoutInstance(stored.ics, { uid: facts.uid, recurrenceId }, { stamp: context.now });
  if (ics !== null && eventFacts(ics, facts, context.owner.timezone) !== undefined) {
    throw unchangeable('unreadable', 'names an event that cannot be taken out of its series for sure');
  }
  const plan = await planEvent(context, {
    tool: 'cancel_event',
    account,
    eventId: found.eventId,
    key: stored.event,
    place: stored.place,
    calendar: stored.calendar,
    replaced: { ics: stored.ics, etag: stored.etag, facts },
    ics,
    told: cancelled && { method: 'CANCEL', ...cancelled },
    title: '',
    attendee: null,
  });
  return { plan, request: { target: targetOf(found) }, targets: [targetOf(found)] };
}

/** What attendees are told. Null: nothing, for a stranger's event is not cancelled, and one may be so already. */
function saysCancelled(found: FoundEvent, context: CallContext): { ics: string; facts: EventFacts } | null {
  const { stored, facts, account } = found;
  if (!isOurs(facts, account.email) || facts.status === 'cancelled') return null;
  const change: EventChange = {
    status: 'CANCELLED',
    self: account.email,
    agentOf: (now) => (now === 'server' && !stored.calendar.schedules ? 'client' : now),
  };
  return changedAs(context, found, change);
}

interface ToPlan {
  readonly tool: string;
  readonly change: EventChange;
  /** What the agent wrote. */
  readonly title: string;
  readonly attendee: string | null;
  readonly request: Record<string, unknown>;
}

async function planned(
  context: CallContext,
  found: FoundEvent,
  { tool, change, title, attendee, request }: ToPlan,
): Promise<Planned> {
  const { account, stored, facts } = found;
  const composed = changedAs(context, found, change);
  const plan = await planEvent(context, {
    tool,
    account,
    eventId: found.eventId,
    key: stored.event,
    place: stored.place,
    calendar: stored.calendar,
    replaced: { ics: stored.ics, etag: stored.etag, facts },
    ics: composed.ics,
    told: { method: 'REQUEST', ...composed },
    title,
    attendee,
  });
  const target = targetOf(found);
  return { plan, request: { target: [target, facts.recurrenceId], ...request }, targets: [target] };
}

/** The object with the change, which then says the event as it was but for that. @throws ServiceError invalid_arguments */
function changedAs(
  context: CallContext,
  { stored, facts }: FoundEvent,
  change: EventChange,
): { ics: string; facts: EventFacts } {
  const { title, time, status, invited, self, agentOf } = change;
  const { timezone } = context.owner;
  const others = facts.attendees.map((one): Attendee => {
    if (normalAddress(one.address) === normalAddress(self)) return one;
    const agent = agentOf(one.agent);
    const answer = time === undefined || agent === 'none' ? one.answer : 'NEEDS-ACTION';
    return { ...one, agent, answer };
  });
  const added = invited && newAttendee(invited.attendee, invited.agent);
  const attendees = added === undefined ? others : [...others, added];
  const isShared = attendees.some(({ address }) => normalAddress(address) !== normalAddress(self));
  const isNobodys = facts.organizer === null && isShared;
  const meant = {
    ...facts,
    title: title ?? facts.title,
    start: time?.start ?? facts.start,
    end: time?.end ?? facts.end,
    allDay: time === undefined && facts.allDay,
    status: status === undefined ? facts.status : status === 'CONFIRMED' ? 'confirmed' : 'cancelled',
    organizer: isNobodys ? mailParticipant(self) : facts.organizer,
    attendees,
  } satisfies EventFacts;
  if (canonicalJson({ ...meant, organizer: facts.organizer }) === canonicalJson(facts)) {
    throw unchangeable('unchanged', 'names an event that is as asked already');
  }
  const whole = isNobodys ? { ...change, organizer: self } : change;
  const composed = composedAs(
    context,
    (writing) => changedObject(stored.ics, stored.event, whole, { ...writing, timezone }),
    stored.event,
    (says) =>
      says.sequence > facts.sequence &&
      canonicalJson({ ...says, sequence: 0 }) === canonicalJson({ ...meant, sequence: 0 }),
  );
  if (composed === undefined) {
    throw unchangeable('unreadable', 'names an event whose object cannot be changed for sure');
  }
  return composed;
}

const SAYS_ELSE = 'the composed object says something else';

/**
 * Composes with the times in the owner's zone, and in UTC where an object written so would not be read as it is meant
 * (it describes a zone of that name in its own way). Undefined: neither says what is meant.
 */
function composedAs(
  { owner, now }: CallContext,
  compose: (writing: Writing) => string,
  key: Parameters<typeof eventFacts>[1],
  isMeant: (says: EventFacts) => boolean,
): { ics: string; facts: EventFacts } | undefined {
  const { timezone } = owner;
  for (const zone of new Set([writingZone(timezone), undefined])) {
    const ics = compose({ zone, stamp: now });
    const facts = readAgain(ics, key, timezone);
    if (facts !== undefined && isMeant(facts)) return { ics, facts };
  }
  return undefined;
}

function readAgain(...[ics, key, timezone]: Parameters<typeof eventFacts>): EventFacts | undefined {
  try {
    return eventFacts(ics, key, timezone);
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

/** The new times; undefined where none is asked for. @throws ServiceError invalid_arguments */
function timeOf(
  args: ChangeArguments,
  facts: EventFacts,
  timezone: string,
): { start?: Date; end: Date } | undefined {
  const { start: wall, duration_min } = args;
  if (wall === undefined && duration_min === undefined) return undefined;
  if (facts.allDay && wall === undefined) {
    throw invalidArgument('duration_min', 'all_day', 'needs a start as well: the event lasts whole days');
  }
  if (facts.allDay && duration_min === undefined) {
    throw invalidArgument('start', 'all_day', 'needs a duration_min as well: the event lasts whole days');
  }
  const start = wall === undefined ? facts.start : wallClock(wall, timezone);
  const lengthMs =
    duration_min === undefined ? facts.end.getTime() - facts.start.getTime() : duration_min * MINUTE_MS;
  const end = new Date(start.getTime() + lengthMs);
  return wall === undefined ? { end } : { start, end };
}

/** A wall-clock time of the owner (RFC 5545 3.3.5). @param value YYYY-MM-DDTHH:MM, perhaps with :SS */
function wallClock(value: string, timezone: string): Date {
  return new Date(instantOf(Date.parse(`${value}Z`), ianaZone(timezone)));
}

function refuseWhatIsNotToChange({ facts, account }: FoundEvent): void {
  if (!isOurs(facts, account.email)) {
    throw unchangeable('organizer', 'names an event that somebody else organizes: only they can change it');
  }
  if (facts.status === 'cancelled') throw unchangeable('cancelled', 'names an event that is cancelled');
}

function refuseSelf(attendee: string | null, self: string): void {
  if (attendee !== null && normalAddress(attendee) === normalAddress(self)) {
    throw invalidArgument('attendee', 'self', 'is the address of the account that the calendar belongs to');
  }
}

function mailParticipant(address: string): { address: string; isMail: true; name: string } {
  return { address, isMail: true, name: '' };
}

function newAttendee(address: string, agent: Agent): Attendee {
  return { ...mailParticipant(address), agent, answer: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT' };
}

/** An object is changed as a whole, under its one ETag: its events are one target. */
function targetOf({ account, stored }: FoundEvent): string {
  return `event:${account.accountId}:${stored.event.calendar}:${stored.event.uid}`;
}

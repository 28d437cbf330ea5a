import type { EventResult } from '../actions/change-event.ts';
import type { EventWord } from '../actions/put-event.ts';
import type { Agent, Attendee, EventFacts } from '../calendar/event.ts';
import type { DocumentWriting } from '../calendar/event-document.ts';
import { type CalendarOwner, isOwnEvent, isToldByServer, ownerTest } from '../calendar/notices.ts';
import type { CallContext } from '../call/context.ts';
import { ServiceError } from '../contract/errors.ts';
import { invalidArgument, normalAddress } from '../contract/schema.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { ianaZone } from '../time/iana-zone.ts';
import { instantOf } from '../time/wall-time.ts';
import { planEvent } from './event-plan.ts';
import { calendarForNew, type FoundEvent, findEvent, portOf, unchangeable } from './find-event.ts';
import type { Planned } from './planned.ts';

/** The changes that the calendar tools plan. Each is composed, read again, and refused if the two differ. */

interface NewEventArguments {
  readonly title: string;
  readonly start: string;
  readonly duration_min: number;
  readonly attendee?: string | undefined;
}

export async function newEvent(
  word: 'create' | 'propose',
  args: NewEventArguments,
  context: CallContext,
): Promise<Planned<EventResult>> {
  const { owner, ports } = context;
  const status = word === 'propose' ? 'tentative' : 'confirmed';
  const { account, calendar } = await calendarForNew(context);
  const attendee = args.attendee ?? null;
  refuseSelf(attendee, { email: account.email, calendar });
  const start = wallClock(args.start, owner.timezone);
  const end = new Date(start.getTime() + args.duration_min * MINUTE_MS);
  const unique = Buffer.from(ports.random(16)).toString('hex');
  const key = {
    calendar: calendar.calendar,
    uid: `${unique}@${account.email.slice(account.email.lastIndexOf('@') + 1)}`,
    recurrenceId: null,
  };
  const agent: Agent = status === 'tentative' ? 'none' : calendar.schedules ? 'server' : 'client';
  const { title } = args;
  const facts: EventFacts = {
    uid: key.uid,
    recurrenceId: null,
    title,
    start,
    end,
    allDay: false,
    status,
    recurring: false,
    sequence: 0,
    location: '',
    description: '',
    organizer: attendee === null ? null : mailParticipant(account.email),
    attendees: attendee === null ? [] : [newAttendee(attendee, agent)],
  };
  const { documents } = portOf(context);
  const document = await documents.create(facts, writingOf(context));
  const reread = await documents.read(document, key, writingOf(context));
  if (reread.kind !== 'event' || canonicalJson(reread.event) !== canonicalJson(facts)) {
    throw new ServiceError('internal_error', {
      cause: new Error('the new document does not match the event'),
    });
  }
  const [eventId] = await ports.storage.eventNumbers(owner.ownerId, account.accountId, [key]);
  if (eventId === undefined) throw new Error('the store returned no number for the event');
  const plan = await planEvent(context, {
    word,
    account,
    eventId,
    key,
    place: { calendar: calendar.calendar, name: `${unique}.ics` },
    calendar,
    event: facts,
    replaced: null,
    document,
    notice: { method: 'REQUEST', facts },
    title,
    attendee,
  });
  const invitee = attendee === null ? null : normalAddress(attendee);
  const request = { calendar: [account.accountId, calendar.calendar], title, start, end, invitee };
  return { ...plan, request, targets: [] };
}

interface ChangeArguments {
  readonly event_id: number;
  readonly title?: string | undefined;
  readonly start?: string | undefined;
  readonly duration_min?: number | undefined;
  readonly attendee?: string | undefined;
}

export async function changedEvent(
  args: ChangeArguments,
  context: CallContext,
): Promise<Planned<EventResult>> {
  const found = await findEvent(context, args.event_id);
  const facts = found.stored.event;
  const owner = ownerOf(found);
  const byServer = isToldByServer(facts, owner);
  refuseUnchangeable(found);
  refuseSelf(args.attendee ?? null, owner);
  const time = timeOf(args, facts, context.owner.timezone);
  const isInvited = facts.attendees.some(
    ({ address }) => normalAddress(address) === normalAddress(args.attendee ?? ''),
  );
  const attendee = args.attendee === undefined || isInvited ? null : args.attendee;
  const agent: Agent = facts.status === 'tentative' ? 'none' : byServer ? 'server' : 'client';
  const attendees = attendeesWith(
    found,
    (now) => (now === 'server' && !byServer ? 'client' : now),
    time !== undefined,
  );
  const after: EventFacts = {
    ...facts,
    title: args.title ?? facts.title,
    ...(time === undefined ? {} : { ...time, allDay: false }),
    attendees: attendee === null ? attendees : [...attendees, newAttendee(attendee, agent)],
  };
  return planned(context, found, {
    word: 'update',
    after,
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

export async function confirmedEvent(
  args: { event_id: number },
  context: CallContext,
): Promise<Planned<EventResult>> {
  const found = await findEvent(context, args.event_id);
  const { event } = found.stored;
  const byServer = isToldByServer(event, ownerOf(found));
  refuseUnchangeable(found);
  if (event.status === 'confirmed')
    throw unchangeable('confirmed', 'names an event that is already confirmed');
  const attendees = attendeesWith(found, (now) => (now === 'client' || !byServer ? 'client' : 'server'));
  const after: EventFacts = { ...event, status: 'confirmed', attendees };
  return planned(context, found, { word: 'confirm', after, title: '', attendee: null, request: {} });
}

/**
 * Deletes the event from the calendar, no matter who organizes it. If the owner does, attendees receive a cancellation.
 */
export async function cancelledEvent(
  args: { event_id: number },
  context: CallContext,
): Promise<Planned<EventResult>> {
  const found = await findEvent(context, args.event_id);
  const { account, stored } = found;
  const { documents } = portOf(context);
  const document = await documents.without(stored.document, stored.event, writingOf(context));
  if (document === undefined) {
    throw unchangeable('unreadable', 'names an event that cannot be removed from its series reliably');
  }
  const plan = await planEvent(context, {
    word: 'cancel',
    account,
    eventId: found.eventId,
    key: found.key,
    place: stored.place,
    calendar: stored.calendar,
    event: stored.event,
    replaced: stored,
    document,
    notice: cancellationOf(found),
    title: '',
    attendee: null,
  });
  return { ...plan, request: { target: targetOf(found) }, targets: [targetOf(found)] };
}

/** The cancellation for attendees. Null: none, because somebody else organizes the event or it is already cancelled. */
function cancellationOf(found: FoundEvent): { method: 'CANCEL'; facts: EventFacts } | null {
  const facts = found.stored.event;
  const owner = ownerOf(found);
  if (!isOwnEvent(facts, owner) || facts.status === 'cancelled') return null;
  const attendees = attendeesWith(found, (now) =>
    now === 'server' && !isToldByServer(facts, owner) ? 'client' : now,
  );
  const cancelled = withOrganizer({ ...facts, status: 'cancelled', attendees }, owner);
  return { method: 'CANCEL', facts: { ...cancelled, sequence: facts.sequence + 1 } };
}

interface ChangePlan {
  readonly word: EventWord;
  /** The event after the change. */
  readonly after: EventFacts;
  /** The title that the agent wrote. */
  readonly title: string;
  readonly attendee: string | null;
  readonly request: Record<string, unknown>;
}

async function planned(
  context: CallContext,
  found: FoundEvent,
  { word, after, title, attendee, request }: ChangePlan,
): Promise<Planned<EventResult>> {
  const { account, stored } = found;
  const changed = await changedDocument(context, found, after);
  const plan = await planEvent(context, {
    word,
    account,
    eventId: found.eventId,
    key: found.key,
    place: stored.place,
    calendar: stored.calendar,
    event: changed.facts,
    replaced: stored,
    document: changed.document,
    notice: { method: 'REQUEST', facts: changed.facts },
    title,
    attendee,
  });
  const target = targetOf(found);
  return { ...plan, request: { target: [target, stored.event.recurrenceId], ...request }, targets: [target] };
}

/** The document after the change, read again. @throws ServiceError invalid_arguments */
async function changedDocument(
  context: CallContext,
  found: FoundEvent,
  changed: EventFacts,
): Promise<{ document: string; facts: EventFacts }> {
  const { event: before, document: old } = found.stored;
  if (canonicalJson(changed) === canonicalJson(before)) {
    throw unchangeable('unchanged', 'names an event that is already as requested');
  }
  const { documents } = portOf(context);
  const writing = writingOf(context);
  const after = withOrganizer(changed, ownerOf(found));
  const document = await documents.change(old, { before, after }, writing);
  const reread = document === undefined ? undefined : await documents.read(document, before, writing);
  const isFaithful =
    reread?.kind === 'event' &&
    reread.event.sequence > before.sequence &&
    canonicalJson({ ...reread.event, sequence: 0 }) === canonicalJson({ ...after, sequence: 0 });
  if (document === undefined || !isFaithful) {
    throw unchangeable('unreadable', 'names an event whose document cannot be changed reliably');
  }
  return { document, facts: reread.event };
}

/** The attendees with new scheduling agents. If the time changes, those who will be notified have to answer again. */
function attendeesWith(found: FoundEvent, agentOf: (now: Agent) => Agent, timeChanges = false): Attendee[] {
  const isOwner = ownerTest(ownerOf(found));
  return found.stored.event.attendees.map((one) => {
    if (isOwner(one.address)) return one;
    const agent = agentOf(one.agent);
    return { ...one, agent, answer: timeChanges && agent !== 'none' ? 'NEEDS-ACTION' : one.answer };
  });
}

/** RFC 5546 3.2.2: a message about an event names its organizer. */
function withOrganizer(facts: EventFacts, owner: CalendarOwner): EventFacts {
  const isOwner = ownerTest(owner);
  const isShared = facts.attendees.some(({ address }) => !isOwner(address));
  return facts.organizer === null && isShared ? { ...facts, organizer: mailParticipant(owner.email) } : facts;
}

function writingOf({ owner, now, signal }: CallContext): DocumentWriting {
  return { timezone: owner.timezone, stamp: now, ownerId: owner.ownerId, signal };
}

/** The new times. Undefined if the call changes none. @throws ServiceError invalid_arguments */
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

/** Converts the owner's wall-clock time (RFC 5545 3.3.5). @param value YYYY-MM-DDTHH:MM, optionally with :SS */
function wallClock(value: string, timezone: string): Date {
  return new Date(instantOf(Date.parse(`${value}Z`), ianaZone(timezone)));
}

function ownerOf({ account, stored }: FoundEvent): CalendarOwner {
  return { email: account.email, calendar: stored.calendar };
}

function refuseUnchangeable(found: FoundEvent): void {
  const facts = found.stored.event;
  if (!isOwnEvent(facts, ownerOf(found))) {
    throw unchangeable(
      'organizer',
      'names an event that somebody else organizes. Only the organizer can change it',
    );
  }
  if (facts.status === 'cancelled') throw unchangeable('cancelled', 'names an event that is cancelled');
}

function refuseSelf(attendee: string | null, owner: CalendarOwner): void {
  if (attendee !== null && ownerTest(owner)(attendee)) {
    throw invalidArgument('attendee', 'self', 'is the address of the account that the calendar belongs to');
  }
}

function mailParticipant(address: string): { address: string; isMail: true; name: string } {
  return { address, isMail: true, name: '' };
}

function newAttendee(address: string, agent: Agent): Attendee {
  return { ...mailParticipant(address), agent, answer: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT' };
}

/** A document changes as a whole, under its one ETag, so all its events are one target. */
function targetOf({ account, key: { calendar, uid, documentName } }: FoundEvent): string {
  const target = `event:${account.accountId}:${calendar}:${uid}`;
  return documentName === undefined ? target : `${target}:${documentName}`;
}

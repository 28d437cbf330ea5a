import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { Hold } from '../holds.ts';
import type { Invitation } from '../mail/compose.ts';
import { type ActionPlan, canonicalJson } from '../plan.ts';
import type { CalendarInfo, EventKey, ObjectPlace } from '../ports/calendar.ts';
import type { Account } from '../ports/storage.ts';
import { frozenMessage, sendingHolds } from '../send-plan.ts';
import type { SentMessage } from '../sent-message.ts';
import type { CallContext } from '../tools/define-tool.ts';
import { type EventFacts, eventFacts } from './event-facts.ts';
import { invitationObject, invitationText, invitedFacts, writtenUid } from './invitation.ts';
import { isOurs, NOBODY, recipientsOf, type Telling, tellingOf } from './telling.ts';

/** The plan of a change of the calendar: the object that is stored, and the message to the attendees. */

const eventRecord = z.strictObject({
  eventId: z.int().min(1),
  calendar: z.string(),
  uid: z.string(),
  recurrenceId: z.string().nullable(),
  /** The object's name in the calendar. */
  name: z.string(),
  /** ETag of the object that is replaced or removed; null: a new one. */
  ifMatch: z.string().nullable(),
  /** That object. */
  replaced: z.string().nullable(),
  /** What is stored, byte for byte; null: the object is removed. */
  ics: z.string().nullable(),
  /** The server writes to attendees by itself. */
  schedules: z.boolean(),
  /** See CalendarInfo. */
  answersOrganizers: z.boolean(),
  calendarName: z.string(),
  access: z.enum(['own', 'shared', 'unknown']),
  /** The owner's, when it was planned: for times that float. */
  timezone: z.string(),
});
export type EventRecord = z.infer<typeof eventRecord>;

export function eventRecordOf(plan: ActionPlan): EventRecord {
  return eventRecord.parse(plan.record);
}

/** A change that is composed, and has been read again. */
export interface ComposedChange {
  readonly tool: string;
  readonly account: Account;
  readonly eventId: number;
  readonly key: EventKey;
  readonly place: ObjectPlace;
  /** The one that is changed. */
  readonly calendar: CalendarInfo;
  readonly replaced: { readonly ics: string; readonly etag: string; readonly facts: EventFacts } | null;
  readonly ics: string | null;
  /** What attendees are told: an object that says the event as they are to know it. Null: nothing. */
  readonly told: Told | null;
  /** What the agent wrote. */
  readonly title: string;
  /** Whom the agent invites, though nobody may tell them yet. */
  readonly attendee: string | null;
}

interface Told {
  readonly method: Invitation['method'];
  readonly ics: string;
  readonly facts: EventFacts;
}

export async function planEvent(context: CallContext, change: ComposedChange): Promise<ActionPlan> {
  const { account, told, replaced, key, calendar } = change;
  const { email } = account;
  const { timezone } = context.owner;
  const telling = told === null ? NOBODY : tellingOf(told.facts, email, calendar.schedules);
  const addressed = new Set(recipientsOf(telling));
  if (change.attendee !== null) addressed.add(change.attendee);
  const organizer = replaced && hearingOrganizer(replaced.facts, email, calendar);
  if (organizer !== null) addressed.add(organizer);
  const holds: Hold[] = await sendingHolds(context, {
    account,
    to: [...addressed],
    written: { subject: change.title, body: '' },
    thread: replaced && { from: [], replyTo: [], to: replaced.facts.attendees, cc: [] },
  });
  const record: EventRecord = {
    eventId: change.eventId,
    calendar: key.calendar,
    uid: key.uid,
    recurrenceId: key.recurrenceId,
    name: change.place.name,
    ifMatch: replaced?.etag ?? null,
    replaced: replaced?.ics ?? null,
    ics: change.ics,
    schedules: calendar.schedules,
    answersOrganizers: calendar.answersOrganizers,
    calendarName: calendar.name,
    access: calendar.access,
    timezone,
  };
  if (organizer !== null) holds.push('server_may_write');
  if (calendar.access === 'shared') holds.push('shared_calendar');
  if (calendar.access === 'unknown') holds.push('calendar_access_unknown');
  const heardBefore =
    replaced !== null && recipientsOf(tellingOf(replaced.facts, email, calendar.schedules)).length > 0;
  const message =
    told === null || telling.byMail.length === 0
      ? { envelope: null, raw: null, messageId: null }
      : await frozenMessage(context, {
          account,
          to: telling.byMail,
          ...invitationText(told.method, told.facts, { organizer: email, timezone, heardBefore }),
          invitation: invitationOf(told, key, context),
          inReplyTo: null,
          references: [],
        });
  context.shown(`event:${change.eventId}`);
  return {
    v: 1,
    tool: change.tool,
    account: { accountId: account.accountId, email },
    ...message,
    targets: [],
    holds,
    warnings: [],
    display: [],
    record,
  };
}

/** @throws ServiceError internal_error where it would say something else than the object */
function invitationOf(told: Told, key: EventKey, { owner, now }: CallContext): Invitation {
  const { timezone } = owner;
  const uid = writtenUid(told.ics, key);
  const ics = invitationObject(told.method, told.facts, { uid, timezone, stamp: now });
  const says = eventFacts(ics, key, timezone);
  if (says === undefined || saying(says) !== saying(told.facts)) {
    throw new ServiceError('internal_error', { cause: new Error('the invitation says something else') });
  }
  return { method: told.method, ics };
}

/** All that an invitation says, for comparing. */
function saying(facts: EventFacts): string {
  return canonicalJson(invitedFacts(facts));
}

/** Whom the server may tell of a change of an event that is theirs. Null: nobody, or the event is the owner's own. */
function hearingOrganizer(
  facts: EventFacts,
  email: string,
  { answersOrganizers }: Pick<CalendarInfo, 'answersOrganizers'>,
): string | null {
  return answersOrganizers && !isOurs(facts, email) ? (facts.organizer?.address ?? null) : null;
}

/** All whom the run writes to, or has the server write to, or may have. */
export function eventRecipients(plan: ActionPlan): readonly string[] {
  const { telling, organizer, organizerHears } = eventChange(plan, null);
  const others = recipientsOf(telling);
  return organizer !== null && organizerHears ? [...others, organizer] : others;
}

/** What a plan does to an event, for the owner's page: read from the objects that it stores and replaces. */
export interface EventChange {
  /** Null: it is new. */
  readonly before: EventFacts | null;
  /** Null: it is taken out of the calendar. */
  readonly after: EventFacts | null;
  /** One instance of a series: the others stay as they are. */
  readonly onlyThisOne: boolean;
  readonly telling: Telling;
  /** Whose event it is, where it is not the owner's. */
  readonly organizer: string | null;
  /** The server may tell the organizer that the owner does not come. */
  readonly organizerHears: boolean;
  /** The calendar that it is in. */
  readonly calendar: Pick<CalendarInfo, 'name' | 'access'>;
}

/**
 * @param message what `plan.raw` says
 * @throws Error where the objects do not say the event, or the message says another
 */
export function eventChange(plan: ActionPlan, message: SentMessage | null): EventChange {
  const record = eventRecordOf(plan);
  const { replaced, ics, uid, recurrenceId, timezone, schedules } = record;
  const key = { uid, recurrenceId };
  const before = replaced === null ? null : (eventFacts(replaced, key, timezone) ?? null);
  const after = ics === null ? null : (eventFacts(ics, key, timezone) ?? null);
  const facts = after ?? before;
  if (facts === null || plan.account === null) throw new Error('the plan of an event says no event');
  const self = { address: plan.account.email, isMail: true, name: '' };
  const told = after ?? { ...facts, status: 'cancelled', organizer: facts.organizer ?? self };
  if (message !== null) refuseOther(message.invitation, told, timezone);
  const ours = isOurs(facts, plan.account.email);
  return {
    before,
    after,
    onlyThisOne: recurrenceId !== null,
    // Of an event that was cancelled before, everybody has heard.
    telling:
      after === null && facts.status === 'cancelled'
        ? NOBODY
        : tellingOf(facts, plan.account.email, schedules),
    organizer: ours ? null : (facts.organizer?.address ?? null),
    organizerHears: hearingOrganizer(facts, plan.account.email, record) !== null,
    calendar: { name: record.calendarName, access: record.access },
  };
}

/** SEQUENCE is for programs; a cancelled event has none of ours to compare with. */
function refuseOther(invitation: Invitation | null, meant: EventFacts, timezone: string): void {
  const says = invitation && eventFacts(invitation.ics, meant, timezone);
  if (says == null || saying({ ...says, sequence: 0 }) !== saying({ ...meant, sequence: 0 })) {
    throw new Error('the message to the attendees says something else than the plan');
  }
}

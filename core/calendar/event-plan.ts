import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { Hold } from '../holds.ts';
import type { Invitation } from '../mail/compose.ts';
import type { ActionPlan } from '../plan.ts';
import type {
  CalendarInfo,
  DocumentPlace,
  EventFacts,
  EventKey,
  EventReading,
  StoredEvent,
} from '../ports/calendar.ts';
import type { Ports } from '../ports/ports.ts';
import type { Account } from '../ports/storage.ts';
import { readWithin } from '../read-message.ts';
import { saying } from '../reading/invitation-job.ts';
import { frozenMessage, sendingHolds } from '../send-plan.ts';
import type { SentMessage } from '../sent-message.ts';
import type { CallContext } from '../tools/define-tool.ts';
import { invitationText } from './invitation.ts';
import { isOurs, NOBODY, recipientsOf, type Telling, tellingOf } from './telling.ts';

/** The plan of a change of the calendar: the document that is stored, and the message to the attendees. */

const eventRecord = z.strictObject({
  eventId: z.int().min(1),
  calendar: z.string(),
  uid: z.string(),
  recurrenceId: z.string().nullable(),
  /** The document's name in the calendar. */
  name: z.string(),
  /** ETag of the document that is replaced or removed; null: a new one. */
  ifMatch: z.string().nullable(),
  /** That document. */
  replaced: z.string().nullable(),
  /** What is stored, character for character; null: the document is removed. */
  document: z.string().nullable(),
  /** The server writes to attendees by itself. */
  schedules: z.boolean(),
  /** See CalendarInfo. */
  answersOrganizers: z.boolean(),
  calendarName: z.string(),
  access: z.enum(['own', 'shared', 'unknown']),
  /** All whom the run writes to, or has the server write to, or may have. */
  recipients: z.array(z.string()),
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
  readonly place: DocumentPlace;
  /** The one that is changed. */
  readonly calendar: CalendarInfo;
  readonly replaced: Pick<StoredEvent, 'document' | 'etag' | 'event'> | null;
  readonly document: string | null;
  /** What attendees are told. Null: nothing. */
  readonly told: Told | null;
  /** What the agent wrote. */
  readonly title: string;
  /** Whom the agent invites, though nobody may tell them yet. */
  readonly attendee: string | null;
}

interface Told {
  readonly method: Invitation['method'];
  /** The event as they are to know it. */
  readonly facts: EventFacts;
}

export async function planEvent(context: CallContext, change: ComposedChange): Promise<ActionPlan> {
  const { account, told, replaced, key, calendar } = change;
  const { email } = account;
  const { timezone } = context.owner;
  const telling = told === null ? NOBODY : tellingOf(told.facts, email, calendar.schedules);
  const addressed = new Set(recipientsOf(telling));
  if (change.attendee !== null) addressed.add(change.attendee);
  const organizer = replaced && hearingOrganizer(replaced.event, email, calendar);
  if (organizer !== null) addressed.add(organizer);
  const holds: Hold[] = await sendingHolds(context, {
    account,
    to: [...addressed],
    written: { subject: change.title, body: '' },
    thread: replaced && { from: [], replyTo: [], to: replaced.event.attendees, cc: [] },
  });
  const record: EventRecord = {
    eventId: change.eventId,
    calendar: key.calendar,
    uid: key.uid,
    recurrenceId: key.recurrenceId,
    name: change.place.name,
    ifMatch: replaced?.etag ?? null,
    replaced: replaced?.document ?? null,
    document: change.document,
    schedules: calendar.schedules,
    answersOrganizers: calendar.answersOrganizers,
    calendarName: calendar.name,
    access: calendar.access,
    recipients: written(telling, organizer),
    timezone,
  };
  if (organizer !== null) holds.push('server_may_write');
  if (calendar.access === 'shared') holds.push('shared_calendar');
  if (calendar.access === 'unknown') holds.push('calendar_access_unknown');
  const heardBefore =
    replaced !== null && recipientsOf(tellingOf(replaced.event, email, calendar.schedules)).length > 0;
  const message =
    told === null || telling.byMail.length === 0
      ? { envelope: null, raw: null, messageId: null }
      : await frozenMessage(context, {
          account,
          to: telling.byMail,
          ...invitationText(told.method, told.facts, { organizer: email, timezone, heardBefore }),
          invitation: await invitationOf(told, context),
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

/** @throws ServiceError internal_error if it would say something else than the event */
async function invitationOf(
  { method, facts }: Told,
  { ports, owner, now, signal }: CallContext,
): Promise<Invitation> {
  const input = { method, facts, timezone: owner.timezone, stamp: now };
  const reading = await readWithin(ports, signal, 'invitation', input);
  if (reading.kind === 'unreadable' || reading.value === null) {
    throw new ServiceError('internal_error', { cause: new Error('the invitation says something else') });
  }
  return { method, ics: reading.value };
}

function written(telling: Telling, organizer: string | null): string[] {
  return organizer === null ? recipientsOf(telling) : [...recipientsOf(telling), organizer];
}

/** Whom the server may tell of a change of an event that is theirs. Null: nobody, or the event is the owner's own. */
function hearingOrganizer(
  facts: EventFacts,
  email: string,
  { answersOrganizers }: Pick<CalendarInfo, 'answersOrganizers'>,
): string | null {
  return answersOrganizers && !isOurs(facts, email) ? (facts.organizer?.address ?? null) : null;
}

export function eventRecipients(plan: ActionPlan): readonly string[] {
  return eventRecordOf(plan).recipients;
}

/** What a plan does to an event, for the owner's page: read from the documents that it stores and replaces. */
export interface EventChange {
  /** Null: it is new. */
  readonly before: EventFacts | null;
  /** Null: it is taken out of the calendar. */
  readonly after: EventFacts | null;
  /** One instance of a series: the others stay as they are. */
  readonly onlyThisOne: boolean;
  readonly telling: Telling;
  /**
   * What the calendar server passes on besides, when it tells somebody: lines as they stand in the document. Empty:
   * nothing, or it tells nobody.
   */
  readonly alongside: string;
  /** Whose event it is, where it is not the owner's. */
  readonly organizer: string | null;
  /** The server may tell the organizer that the owner does not come. */
  readonly organizerHears: boolean;
  /** The calendar that it is in. */
  readonly calendar: Pick<CalendarInfo, 'name' | 'access'>;
}

/**
 * @param message what `plan.raw` says
 * @throws Error if the documents do not say the event, the message says another, or others are told than the plan names
 */
export async function eventChange(
  ports: Pick<Ports, 'calendar' | 'reader'>,
  plan: ActionPlan,
  message: SentMessage | null,
  signal: AbortSignal,
): Promise<EventChange> {
  const record = eventRecordOf(plan);
  const { uid, recurrenceId, timezone, schedules } = record;
  if (plan.account === null) throw new Error('the plan of an event lacks its account');
  const { email } = plan.account;
  const { calendar } = ports;
  if (calendar === undefined) throw new Error('there is no calendar that could read the plan');
  const { documents } = calendar;
  const says = async (document: string | null): Promise<SaidEvent | null> => {
    if (document === null) return null;
    const reading = await documents.read(document, { uid, recurrenceId }, { timezone, signal });
    if (reading.kind === 'unreadable') throw new Error('a document of the plan cannot be read');
    return reading.kind === 'event' ? reading : null;
  };
  const before = await says(record.replaced);
  const after = await says(record.document);
  const said = after ?? before;
  if (said === null) throw new Error('the plan of an event says no event');
  const facts = said.event;
  const self = { address: email, isMail: true, name: '' };
  const told = after?.event ?? { ...facts, status: 'cancelled', organizer: facts.organizer ?? self };
  if (message !== null) await refuseOther(ports, message.invitation, told, { timezone, signal });
  // Of an event that was cancelled before, everybody has heard.
  const isKnown = after === null && facts.status === 'cancelled';
  const telling = isKnown ? NOBODY : tellingOf(facts, email, schedules);
  const organizer = hearingOrganizer(facts, email, record);
  if (written(telling, organizer).join('\n') !== record.recipients.join('\n')) {
    throw new Error('the plan names others to be told than its documents');
  }
  const serverTells = telling.byServer.length > 0 || organizer !== null;
  return {
    before: before?.event ?? null,
    after: after?.event ?? null,
    onlyThisOne: recurrenceId !== null,
    telling,
    alongside: serverTells ? said.alongside : '',
    organizer: isOurs(facts, email) ? null : (facts.organizer?.address ?? null),
    organizerHears: organizer !== null,
    calendar: { name: record.calendarName, access: record.access },
  };
}

type SaidEvent = Extract<EventReading, { kind: 'event' }>;

/** SEQUENCE is for programs; a cancelled event has none to compare with. */
async function refuseOther(
  ports: Pick<Ports, 'reader'>,
  invitation: Invitation | null,
  meant: EventFacts,
  { timezone, signal }: { timezone: string; signal: AbortSignal },
): Promise<void> {
  if (invitation !== null) {
    const { uid, recurrenceId } = meant;
    const input = { ics: invitation.ics, uid, recurrenceId, timezone };
    const reading = await readWithin(ports, signal, 'event', input);
    const says = reading.kind === 'read' && reading.value.kind === 'event' ? reading.value.event : undefined;
    if (says && saying({ ...says, sequence: 0 }) === saying({ ...meant, sequence: 0 })) return;
  }
  throw new Error('the message to the attendees says something else than the plan');
}

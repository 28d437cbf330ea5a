import * as z from 'zod';
import type { EventKey } from '../calendar/event.ts';
import type { Reach } from '../keys/fences.ts';
import type { Calendar, DocumentPlace, StoredEvent } from '../ports/calendar.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { Action, ActionFacts, Checked, RunContext } from './action.ts';
import { frozenMessage, isInSent, messageFacts, transmit } from './frozen-message.ts';
import { actingAccount } from './message-target.ts';
import { eventChange } from './planned-change.ts';

/** What all calendar changes share: a document is stored or removed, then the attendees are notified. */

/** Fixed when the plan is made. */
export const frozenChange = z.strictObject({
  account: actingAccount,
  eventId: z.int().min(1),
  uid: z.string(),
  recurrenceId: z.string().nullable(),
  /** The document's name in the calendar. */
  name: z.string(),
  /** See CalendarInfo. */
  calendar: z.strictObject({
    calendar: z.string(),
    name: z.string(),
    schedules: z.boolean(),
    answersOrganizers: z.boolean(),
    ownAddresses: z.array(z.string()).optional(),
    access: z.enum(['own', 'shared', 'unknown']),
  }),
  /** The owner's zone, for floating times. */
  timezone: z.string(),
  /** The message to the attendees; null: none, or the calendar server notifies them. */
  message: frozenMessage.nullable(),
  /** Everyone to whom the run writes, or has the server write, or may have it write. */
  recipients: z.array(z.string()),
  /** Everyone else who takes part in the event before or after the change. */
  participants: z.array(z.string()),
});
export type FrozenChange = z.infer<typeof frozenChange>;

/** A document that is replaced or removed. */
export const replacedDocument = z.strictObject({ document: z.string(), etag: z.string() });

export type EventResult = {
  readonly done: true;
  readonly action: string;
  readonly object_kind: 'event';
  readonly object_id: number;
  /** Absent: the calendar server was to tell nobody, or says that it has told them. */
  readonly invitations?: Untold;
};

/** What a calendar server says about the attendees whom it was to tell: nothing, or that it could not reach some. */
export const UNTOLD = ['not_confirmed', 'not_delivered'] as const;
export type Untold = (typeof UNTOLD)[number];

export interface Opened {
  readonly key: EventKey;
  readonly calendar: Calendar;
  readonly call: MailCall;
  readonly place: DocumentPlace;
}

/** @throws MailError `refused` if the account or its calendar is no longer connected */
export async function openCalendar(
  change: FrozenChange & { readonly replaced: unknown },
  run: RunContext,
): Promise<Opened> {
  const { account, uid, recurrenceId, name, replaced } = change;
  const { calendar } = change.calendar;
  const { call } = await run.mailbox(account.accountId);
  const port = run.ports.calendar;
  if (port === undefined) throw new MailError('refused', 'the calendar is no longer connected');
  // A server may store a new document under a name of its own.
  const key = { calendar, uid, recurrenceId, ...(replaced !== null && { documentName: name }) };
  return { calendar: port, call, key, place: { calendar, name } };
}

/** Returns what a change touches. */
export function reachOfChange({ account, recipients, participants }: FrozenChange): Reach {
  return { accountIds: [account.accountId], people: [...recipients, ...participants] };
}

/** Reads the current event; undefined if it is gone. */
export function readNow(
  { timezone }: FrozenChange,
  { calendar, call, key }: Opened,
): Promise<StoredEvent | undefined> {
  return calendar.read(call, key, timezone);
}

/** Returns what the owner sees, read from the documents and from the message. */
export async function factsOf(
  change: Parameters<typeof eventChange>[1] & Pick<FrozenChange, 'message'>,
  ...[ports, reading]: Parameters<Action<unknown, unknown>['facts']>
): Promise<ActionFacts> {
  const message = change.message && (await messageFacts(ports, reading, change.message));
  const event = await eventChange(ports, change, message?.says ?? null, reading);
  return { effect: { kind: 'event' }, ...(message && { message }), event, details: [], targets: [] };
}

/**
 * Sends the message to the attendees. If it certainly was not sent, `takeBack` restores the calendar, so that
 * nothing has been done.
 * @throws MailError `outcome_unknown` if that fails too
 */
export async function notifyAttendees(
  { account, message }: FrozenChange,
  run: RunContext,
  takeBack: () => Promise<void>,
): Promise<void> {
  if (message === null) return;
  try {
    await transmit(account.accountId, message, run);
  } catch (cause) {
    if (!(cause instanceof MailError) || cause.code === 'outcome_unknown') throw cause;
    try {
      await takeBack();
    } catch (error) {
      const reason = 'the event was stored, and its attendees could not be notified';
      throw new MailError('outcome_unknown', reason, { cause: new AggregateError([cause, error]) });
    }
    throw cause;
  }
}

/** Checks the message once the calendar is as planned. Only a copy in Sent proves that it went out. */
export async function checkNotified(
  { account, message }: FrozenChange,
  run: RunContext,
  result: EventResult,
): Promise<Checked<EventResult>> {
  const isTold = message === null || (await isInSent(account.accountId, message, run));
  return isTold ? { kind: 'happened', result } : { kind: 'unknown' };
}

export function eventResult(action: string, { eventId }: FrozenChange): EventResult {
  return { done: true, action, object_kind: 'event', object_id: eventId };
}

import * as z from 'zod';
import type { EventKey } from '../calendar/event.ts';
import type { Calendar, DocumentPlace, StoredEvent } from '../ports/calendar.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { Action, ActionFacts, Checked, RunContext } from './action.ts';
import { frozenMessage, isInSent, messageFacts, transmit } from './frozen-message.ts';
import { actingAccount } from './message-target.ts';
import { eventChange } from './planned-change.ts';

/** What changes of the calendar have in common: a document is stored or removed, then the attendees are told. */

/** Frozen when the plan was made. */
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
    access: z.enum(['own', 'shared', 'unknown']),
  }),
  /** The owner's: for times that float. */
  timezone: z.string(),
  /** What the attendees are sent; null: nothing, or the calendar server tells them. */
  message: frozenMessage.nullable(),
  /** All whom the run writes to, or has the server write to, or may have. */
  recipients: z.array(z.string()),
});
export type FrozenChange = z.infer<typeof frozenChange>;

/** A document that is replaced or removed. */
export const replacedDocument = z.strictObject({ document: z.string(), etag: z.string() });

export type EventResult = {
  readonly done: true;
  readonly action: string;
  readonly object_kind: 'event';
  readonly object_id: number;
};

export interface Opened {
  readonly key: EventKey;
  readonly calendar: Calendar;
  readonly call: MailCall;
  readonly place: DocumentPlace;
}

/** @throws MailError `refused` when the account or its calendar is no longer connected */
export async function opened(change: FrozenChange, run: RunContext): Promise<Opened> {
  const { account, uid, recurrenceId, name } = change;
  const { calendar } = change.calendar;
  const { call } = await run.mailbox(account.accountId);
  const port = run.ports.calendar;
  if (port === undefined) throw new MailError('refused', 'there is no calendar any more');
  return { calendar: port, call, key: { calendar, uid, recurrenceId }, place: { calendar, name } };
}

/** The event as it is now; undefined when it is gone. */
export function readNow(
  { timezone }: FrozenChange,
  { calendar, call, key }: Opened,
): Promise<StoredEvent | undefined> {
  return calendar.read(call, key, timezone);
}

/** What the owner is shown: read from the documents and from the message. */
export async function factsOf(
  change: Parameters<typeof eventChange>[1] & Pick<FrozenChange, 'message'>,
  ports: Parameters<Action<unknown, unknown>['facts']>[0],
): Promise<ActionFacts> {
  const message = change.message && (await messageFacts(change.message));
  // The reader bounds what reading the event takes.
  const never = new AbortController().signal;
  const event = await eventChange(ports, change, message?.says ?? null, never);
  return { ...(message && { message }), event, details: [], targets: [] };
}

/**
 * Sends the message to the attendees. If it certainly was not sent, `takeBack` makes the calendar what it was, so that
 * nothing has been done.
 * @throws MailError `outcome_unknown` when that fails too
 */
export async function tell(
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
      const reason = 'the event was stored, and its attendees could not be told';
      throw new MailError('outcome_unknown', reason, { cause: new AggregateError([cause, error]) });
    }
    throw cause;
  }
}

/** Once the calendar is as planned: whether a message went out cannot be known, unless it lies in Sent. */
export async function checkTold(
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

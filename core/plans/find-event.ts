import type { EventKey } from '../calendar/event.ts';
import type { EventLock } from '../calendar/event-document.ts';
import type { CallContext, LookUpContext } from '../call/context.ts';
import { nameAccountOnFailure } from '../call/mailbox.ts';
import { refuseAccountOutside } from '../call/refuse-outside.ts';
import { ServiceError } from '../contract/errors.ts';
import { invalidArgument } from '../contract/schema.ts';
import type { Account } from '../ports/account.ts';
import type { CalendarInfo, StoredEvent } from '../ports/calendar.ts';
import { MailError } from '../ports/mail.ts';

/** Finds the calendar and the event of a call. */

/**
 * The calendar for new events: the active account's if it has one, otherwise the first one.
 * @throws ServiceError no_mail_account_connected; not_found (`calendar`) if no account has one; upstream_mail_error
 */
export async function calendarForNew(
  context: CallContext,
): Promise<{ account: Account; calendar: CalendarInfo }> {
  const { accounts, owner } = context;
  if (accounts.length === 0) throw new ServiceError('no_mail_account_connected');
  const port = portOf(context);
  const active = accounts.filter(({ accountId }) => accountId === owner.activeAccountId);
  for (const account of new Set([...active, ...accounts])) {
    const target = undefinedIfNone(port.target(context.mailCall(account)));
    const calendar = await nameAccountOnFailure(account, 'calendar', target);
    if (calendar !== undefined) return { account, calendar };
  }
  throw noSuch('calendar');
}

/** A server without a calendar must not hide the calendars of other accounts. */
async function undefinedIfNone<T>(target: Promise<T>): Promise<T | undefined> {
  try {
    return await target;
  } catch (error) {
    if (error instanceof MailError && error.trouble === 'no_calendar') return undefined;
    throw error;
  }
}

export interface FoundEvent {
  readonly account: Account;
  readonly eventId: number;
  readonly key: EventKey;
  readonly stored: StoredEvent;
}

/** Larger documents are not changed: a plan keeps the document that it replaces. */
const DOCUMENT_BYTES_MAX = 1024 * 1024;

/**
 * The event with that number, as of now.
 * @throws ServiceError not_found (`event`, `calendar`), not_permitted, upstream_mail_error
 */
export async function storedEvent(
  context: LookUpContext,
  eventId: number,
): Promise<Omit<FoundEvent, 'eventId'>> {
  const { owner, ports, accounts } = context;
  const numbered = await ports.storage.event(owner.ownerId, eventId);
  if (numbered !== undefined) refuseAccountOutside(context, numbered.accountId, 'event_id');
  const account = accounts.find(({ accountId }) => accountId === numbered?.accountId);
  if (numbered === undefined || account === undefined) throw noSuch('event');
  const stored = await nameAccountOnFailure(account, 'calendar', readOrNone(context, account, numbered.key));
  // A single event has become a series: its instances have their own numbers.
  if (stored === undefined || (stored.event.recurring && numbered.key.recurrenceId === null)) {
    throw noSuch('event');
  }
  return { account, key: numbered.key, stored };
}

/** The same, for a change. @throws ServiceError also invalid_arguments if it cannot be changed safely */
export async function findEvent(context: CallContext, eventId: number): Promise<FoundEvent> {
  const found = await storedEvent(context, eventId);
  refuseUnchangeable(found.stored);
  return { ...found, eventId };
}

/** If a calendar no longer exists, its events do not either. */
async function readOrNone(
  context: LookUpContext,
  account: Account,
  key: EventKey,
): Promise<StoredEvent | undefined> {
  try {
    return await portOf(context).read(context.mailCall(account), key, context.owner.timezone);
  } catch (error) {
    if (error instanceof MailError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const LOCKED: Readonly<Record<EventLock, string>> = {
  split_series: 'names an event of a series that changes from one day on',
  not_unique: 'names one of several events that the calendar does not tell apart',
  unreadable: 'names an event that cannot be read reliably',
};

function refuseUnchangeable({ document, event, locked, calendar }: StoredEvent): void {
  if (!calendar.writable) throw unchangeable('read_only', 'names an event of a read-only calendar');
  if (Buffer.byteLength(document) > DOCUMENT_BYTES_MAX) {
    throw unchangeable('too_large', 'names an event whose document is too large to change');
  }
  // The UID is passed on unchanged.
  if (/\p{Cc}|\p{Surrogate}/u.test(event.uid)) {
    throw unchangeable('unreadable', 'names an event whose UID cannot be passed on');
  }
  if (locked !== null) throw unchangeable(locked, LOCKED[locked]);
}

/** `event_id` names an event that cannot be changed. */
export function unchangeable(rule: string, message: string): ServiceError {
  return invalidArgument('event_id', rule, message);
}

/** @throws ServiceError not_found (`calendar`) */
export function portOf({ ports }: LookUpContext): NonNullable<LookUpContext['ports']['calendar']> {
  if (ports.calendar === undefined) throw noSuch('calendar');
  return ports.calendar;
}

function noSuch(reason: 'calendar' | 'event'): ServiceError {
  return new ServiceError('not_found', { details: { reason } });
}

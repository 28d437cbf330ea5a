import { readWithin } from '../accounts/read-message.ts';
import type { EventFacts } from '../calendar/event.ts';
import type { DocumentReading, EventReading } from '../calendar/event-document.ts';
import { comparable } from '../calendar/invited-facts.ts';
import {
  type CalendarOwner,
  type EventNotices,
  isOwnEvent,
  NO_NOTICES,
  noticesOf,
  recipientsOf,
} from '../calendar/notices.ts';
import type { Invitation } from '../mail/compose.ts';
import type { SentMessage } from '../mail/sent-message.ts';
import type { CalendarInfo } from '../ports/calendar.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReadingFor } from '../ports/reader.ts';

/**
 * The effect of a plan on an event, for the owner's page: read from the documents that it stores and
 * replaces.
 */
export interface EventChange {
  /** Null: it is new. */
  readonly before: EventFacts | null;
  /** Null: it is removed from the calendar. */
  readonly after: EventFacts | null;
  /** One instance of a series: the others stay unchanged. */
  readonly onlyThisOne: boolean;
  readonly notices: EventNotices;
  /**
   * What the calendar server also passes on when it notifies someone: lines as in the document. Empty:
   * nothing, or it notifies nobody.
   */
  readonly alongside: string;
  /**
   * The document describes the event's time zone differently from the zone of that name. The page shows times
   * in the named zone.
   */
  readonly isZoneDisputed: boolean;
  /** The organizer, if it is not the owner. */
  readonly organizer: string | null;
  /** The server may notify the organizer that the owner does not come. */
  readonly organizerIsNotified: boolean;
  /** Its calendar. */
  readonly calendar: Pick<CalendarInfo, 'name' | 'access'>;
  /** Every line of the stored document that changes: see `changedLinesJob`. Empty: all of it is new, or is removed. */
  readonly changedLines: string;
}

/** A change of the calendar as a plan stores it. */
interface PlannedChange {
  readonly account: { readonly email: string };
  readonly uid: string;
  readonly recurrenceId: string | null;
  readonly calendar: Pick<CalendarInfo, 'name' | 'access'> & CalendarOwner['calendar'];
  readonly timezone: string;
  readonly recipients: readonly string[];
  /** The document to replace or remove. Null: the event is new. */
  readonly replaced: { readonly document: string } | null;
  /** The document to store, character for character. Null: the document is removed. */
  readonly document: string | null;
}

/**
 * @param message  the content of the message to the attendees
 * @throws Error if the documents do not contain the event, if the message says something else, or if it
 * notifies others than the plan names
 */
export async function eventChange(
  ports: Pick<Ports, 'calendar' | 'reader'>,
  change: PlannedChange,
  message: SentMessage | null,
  reading: ReadingFor,
): Promise<EventChange> {
  const { account, uid, recurrenceId, timezone, calendar } = change;
  const { email } = account;
  const owner = { email, calendar };
  const documents = ports.calendar?.documents;
  if (documents === undefined) throw new Error('there is no calendar that can read the plan');
  const says = async (document: string | null): Promise<SaidEvent | null> => {
    if (document === null) return null;
    const read = await documents.read(document, { uid, recurrenceId }, { timezone, ...reading });
    if (read.kind === 'unreadable') throw new Error('a document of the plan cannot be read');
    return read.kind === 'event' ? read : null;
  };
  const before = await says(change.replaced?.document ?? null);
  const after = await says(change.document);
  const said = after ?? before;
  if (said === null) throw new Error('the plan of an event contains no event');
  const facts = said.event;
  const self = { address: email, isMail: true, name: '' };
  const told = after?.event ?? { ...facts, status: 'cancelled', organizer: facts.organizer ?? self };
  if (message !== null) await refuseOther(ports, message.invitation, told, { timezone, ...reading });
  // If an event was already cancelled, everyone has been notified of that.
  const isKnown = after === null && facts.status === 'cancelled';
  const notices = isKnown ? NO_NOTICES : noticesOf(facts, owner);
  const organizer = notifiedOrganizer(facts, owner);
  if (notifiedAddresses(notices, organizer).join('\n') !== change.recipients.join('\n')) {
    throw new Error('the plan notifies other people than its documents name');
  }
  const serverTells = notices.byServer.length > 0 || organizer !== null;
  return {
    before: before?.event ?? null,
    after: after?.event ?? null,
    onlyThisOne: recurrenceId !== null,
    notices,
    alongside: serverTells ? said.alongside : '',
    isZoneDisputed: (before?.isZoneDisputed ?? false) || (after?.isZoneDisputed ?? false),
    organizer: isOwnEvent(facts, owner) ? null : (facts.organizer?.address ?? null),
    organizerIsNotified: organizer !== null,
    calendar: { name: calendar.name, access: calendar.access },
    changedLines: await linesChanged(ports, reading, change),
  };
}

async function linesChanged(
  ports: Pick<Ports, 'reader'>,
  reading: ReadingFor,
  { replaced, document }: PlannedChange,
): Promise<string> {
  if (replaced === null || document === null) return '';
  const read = await readWithin(ports, reading, 'changedLines', {
    before: replaced.document,
    after: document,
  });
  if (read.kind === 'unreadable') throw new Error('the documents of a plan cannot be compared');
  return read.value;
}

type SaidEvent = Extract<EventReading, { kind: 'event' }>;

/** SEQUENCE is for programs; a cancelled event has none to compare with. */
async function refuseOther(
  ports: Pick<Ports, 'reader'>,
  invitation: Invitation | null,
  meant: EventFacts,
  { timezone, ...reading }: DocumentReading,
): Promise<void> {
  if (invitation !== null) {
    const { uid, recurrenceId } = meant;
    const input = { ics: invitation.ics, uid, recurrenceId, timezone };
    const read = await readWithin(ports, reading, 'event', input);
    const says = read.kind === 'read' && read.value.kind === 'event' ? read.value.event : undefined;
    if (says && comparable({ ...says, sequence: 0 }) === comparable({ ...meant, sequence: 0 })) return;
  }
  throw new Error('the message to the attendees differs from the plan');
}

/** Returns everyone to whom a change writes, or has the server write, or may have it write. */
export function notifiedAddresses(notices: EventNotices, organizer: string | null): string[] {
  return organizer === null ? recipientsOf(notices) : [...recipientsOf(notices), organizer];
}

/**
 * Returns whom the server may notify of a change of someone else's event. Null: nobody, or the event is the
 * owner's own.
 */
export function notifiedOrganizer(facts: EventFacts, owner: CalendarOwner): string | null {
  const isAnswered = owner.calendar.answersOrganizers && !isOwnEvent(facts, owner);
  return isAnswered ? (facts.organizer?.address ?? null) : null;
}

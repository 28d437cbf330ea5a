import * as z from 'zod';
import { readingOf } from '../accounts/read-message.ts';
import type { EventFacts } from '../calendar/event.ts';
import type { InvitationStatus } from '../calendar/event-document.ts';
import { noticesOf } from '../calendar/notices.ts';
import { ServiceError } from '../contract/errors.ts';
import { normalAddress } from '../contract/schema.ts';
import type { StoredEvent } from '../ports/calendar.ts';
import { MailError } from '../ports/mail.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import type { Action } from './action.ts';
import {
  checkNotified,
  type EventResult,
  eventResult,
  factsOf,
  frozenChange,
  notifyAttendees,
  type Opened,
  openCalendar,
  reachOfChange,
  readNow,
  replacedDocument,
} from './change-event.ts';
import { saveCopy } from './frozen-message.ts';

/** Stores a new or changed document in the calendar, and notifies the attendees. */

const eventWord = z.enum(['create', 'propose', 'update', 'confirm', 'cancel']);
export type EventWord = z.infer<typeof eventWord>;

export const storedPutEvent = frozenChange.extend({
  kind: z.literal('put_event'),
  word: eventWord,
  /** The document to store, character for character. */
  document: z.string(),
  /** Null: the event is new. */
  replaced: replacedDocument.nullable(),
});
type StoredPutEvent = z.infer<typeof storedPutEvent>;

export function putEvent(stored: StoredPutEvent): Action<StoredPutEvent, EventResult> {
  const { account, message, document, replaced, word } = stored;
  const result = eventResult(word, stored);
  return {
    stored,
    account,
    isHeldWhenRepeated: true,
    relocated: [],
    recipients: stored.recipients,
    reach: reachOfChange(stored),
    facts: (...given) => factsOf(stored, ...given),
    async perform(run) {
      const at = await openCalendar(stored, run);
      const { calendar, call, place } = at;
      await calendar.write(call, { ...place, document, ifMatch: replaced?.etag ?? null }, run.start);
      const etag = message === null ? undefined : await storedEtag(stored, at);
      await notifyAttendees(stored, run, async () => {
        // It cannot be taken back if someone else has changed it meanwhile.
        if (etag === undefined) throw new MailError('conflict', 'the event has changed since it was stored');
        if (replaced === null) return calendar.remove(call, { ...place, ifMatch: etag }, run.start);
        return calendar.write(call, { ...place, document: replaced.document, ifMatch: etag }, run.start);
      });
      return { ...result, ...(await toldByServer(stored, at)) };
    },
    /** It was certainly not stored if the ETag is unchanged. */
    async check(run) {
      const at = await openCalendar(stored, run);
      const found = await judge(stored, at, await readNow(stored, at));
      if (found !== 'stored') return { kind: found };
      return checkNotified(stored, run, { ...result, ...(await toldByServer(stored, at)) });
    },
    ...(message && { followUp: (run) => saveCopy(account.accountId, message, run) }),
  };
}

/** Reads what the calendar's server says about the attendees whom it was to tell (RFC 6638 3.2.9). */
async function toldByServer(change: StoredPutEvent, at: Opened): Promise<Pick<EventResult, 'invitations'>> {
  try {
    const planned = await plannedEvent(change, at);
    const owner = { email: change.account.email, calendar: change.calendar };
    const byServer = planned === undefined ? [] : noticesOf(planned, owner).byServer;
    if (byServer.length === 0) return {};
    const now = await readNow(change, at);
    // A calendar without iCalendar has no way to say it.
    if (now !== undefined && now.invitations === undefined) return {};
    const states = byServer.map((person) => invitationOf(person, now));
    if (states.includes('failed')) return { invitations: 'not_delivered' };
    return states.includes('unknown') ? { invitations: 'not_confirmed' } : {};
  } catch (error) {
    // The event is stored, whatever became of the messages.
    if (error instanceof MailError || error instanceof ServiceError) return { invitations: 'not_confirmed' };
    throw error;
  }
}

function invitationOf(person: string, now: StoredEvent | undefined): InvitationStatus['state'] {
  const told = now?.invitations?.find(({ address }) => normalAddress(address) === normalAddress(person));
  return told?.state ?? 'unknown';
}

async function judge(
  change: StoredPutEvent,
  at: Opened,
  now: StoredEvent | undefined,
): Promise<'stored' | 'not' | 'unknown'> {
  const { replaced } = change;
  if (now !== undefined && now.etag === replaced?.etag) return 'not';
  const planned = await plannedEvent(change, at);
  if (planned === undefined) return now === undefined ? 'stored' : 'unknown';
  if (now === undefined) return replaced === null ? 'not' : 'unknown';
  // Nobody else creates an event with that UID.
  return replaced === null || saysSame(now, planned) ? 'stored' : 'unknown';
}

/**
 * Returns the ETag of what was just stored; undefined if something else is there, or the server does not
 * report it.
 */
async function storedEtag(change: StoredPutEvent, at: Opened): Promise<string | undefined> {
  try {
    const planned = await plannedEvent(change, at);
    if (planned !== undefined) {
      const now = await readNow(change, at);
      return now && saysSame(now, planned) ? now.etag : undefined;
    }
    // If an instance is removed, the rest of its series remains. Its ETag is read first, so that someone
    // else's later change is a conflict.
    const rest = await readNow(change, { ...at, key: { ...at.key, recurrenceId: null } });
    return (await readNow(change, at)) === undefined ? rest?.etag : undefined;
  } catch (error) {
    // The only consequence is that it cannot be taken back.
    if (error instanceof MailError || error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Returns the event as the plan stores it; undefined if the plan removes it from the calendar. */
async function plannedEvent(
  { document, timezone }: StoredPutEvent,
  { calendar, call, key }: Opened,
): Promise<EventFacts | undefined> {
  const says = await calendar.documents.read(document, key, { timezone, ...readingOf(call) });
  if (says.kind === 'unreadable') throw new Error('the document of the plan cannot be read');
  return says.kind === 'event' ? says.event : undefined;
}

/** A server may rewrite a document in its own way: the facts of the event count. */
function saysSame({ event }: StoredEvent, planned: EventFacts): boolean {
  return canonicalJson(said(event)) === canonicalJson(said(planned));
}

function said({ title, start, end, status, attendees }: EventFacts) {
  return { title, start, end, status, attendees: attendees.map(({ address }) => address).sort() };
}

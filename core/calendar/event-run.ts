import { ServiceError } from '../errors.ts';
import type { Result } from '../outcome.ts';
import { type ActionPlan, canonicalJson } from '../plan.ts';
import type { Calendar, EventFacts, EventKey, StoredEvent } from '../ports/calendar.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import { checkSend, followUpSend, performSend } from '../send-plan.ts';
import type { Checked, RunContext } from '../tools/define-tool.ts';
import { type EventRecord, eventRecordOf } from './event-plan.ts';

/** Carries out the plan of a change of the calendar: stores or removes the document, then writes to the attendees. */

interface Running {
  readonly record: EventRecord;
  readonly key: EventKey;
  readonly calendar: Calendar;
  readonly call: MailCall;
}

async function running(plan: ActionPlan, run: RunContext): Promise<Running> {
  const record = eventRecordOf(plan);
  const { calendar } = run.ports;
  if (plan.account === null) throw new Error('the plan of an event lacks its account');
  if (calendar === undefined) throw new MailError('refused', 'there is no calendar any more');
  const { uid, recurrenceId } = record;
  const key = { calendar: record.calendar, uid, recurrenceId };
  const { call } = await run.mailbox(plan.account.accountId);
  return { record, key, calendar, call };
}

export const performEvent =
  (action: string) =>
  async (plan: ActionPlan, run: RunContext): Promise<Result> => {
    const at = await running(plan, run);
    await store(at, run);
    if (plan.raw !== null) {
      const etag = await storedEtag(at);
      try {
        await performSend(plan, { ...run, start: async () => true });
      } catch (error) {
        if (error instanceof MailError && error.code !== 'outcome_unknown') await takeBack(at, etag, error);
        throw error;
      }
    }
    return doneResult(at.record, action);
  };

function doneResult({ eventId }: EventRecord, action: string): Result {
  return { done: true, action, object_kind: 'event', object_id: eventId };
}

async function store({ record, calendar, call }: Running, { start }: RunContext): Promise<void> {
  const { name, document, ifMatch } = record;
  const place = { calendar: record.calendar, name };
  if (document !== null) return calendar.write(call, { ...place, document, ifMatch }, start);
  if (ifMatch === null) throw new Error('the plan removes a document that it does not know');
  return calendar.remove(call, { ...place, ifMatch }, start);
}

/** The ETag of what was just stored; undefined where there is none of it, or the server does not tell. */
async function storedEtag(running: Running): Promise<string | undefined> {
  const { record, key, calendar, call } = running;
  if (record.document === null) return undefined;
  try {
    const planned = await plannedEvent(running);
    // Of an instance that is taken out, the rest of its series is there.
    const there = planned === undefined ? { ...key, recurrenceId: null } : key;
    const stored = await calendar.read(call, there, record.timezone);
    if (stored === undefined) return undefined;
    const isStored =
      planned === undefined
        ? (await calendar.read(call, key, record.timezone)) === undefined
        : saysSame(stored, planned);
    return isStored ? stored.etag : undefined;
  } catch (error) {
    // It only cannot be taken back then.
    if (error instanceof MailError || error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Nobody could be told: the calendar becomes again what it was, so that nothing has been done.
 * @param etag of what was stored
 * @throws MailError `outcome_unknown` where that fails, or where somebody else has changed the object meanwhile
 */
async function takeBack(
  { record, calendar, call }: Running,
  etag: string | undefined,
  cause: MailError,
): Promise<void> {
  const { name, document, replaced } = record;
  const place = { calendar: record.calendar, name };
  const begun = async () => true;
  try {
    if (document === null && replaced !== null) {
      return await calendar.write(call, { ...place, document: replaced, ifMatch: null }, begun);
    }
    if (etag === undefined) throw new MailError('conflict', 'the event is not as it was stored');
    if (replaced === null) return await calendar.remove(call, { ...place, ifMatch: etag }, begun);
    return await calendar.write(call, { ...place, document: replaced, ifMatch: etag }, begun);
  } catch (error) {
    throw new MailError('outcome_unknown', 'the event was stored, and its attendees could not be told', {
      cause: new AggregateError([cause, error]),
    });
  }
}

/**
 * After a crash: a document that is not as the plan would have it was certainly not stored when its ETag is still the
 * one of before. Whether a message went out cannot be known, unless it lies in Sent.
 */
export const checkEvent =
  (action: string) =>
  async (plan: ActionPlan, run: RunContext): Promise<Checked> => {
    const at = await running(plan, run);
    const stored = await at.calendar.read(at.call, at.key, at.record.timezone);
    const found = await judge(at, stored);
    if (found !== 'stored') return { kind: found };
    const result = doneResult(at.record, action);
    if (plan.raw === null) return { kind: 'happened', result };
    const sent = await checkSend(plan, run);
    return sent.kind === 'happened' ? { kind: 'happened', result } : sent;
  };

async function judge(at: Running, stored: StoredEvent | undefined): Promise<'stored' | 'repeat' | 'unknown'> {
  const isNew = at.record.ifMatch === null;
  if (stored !== undefined && stored.etag === at.record.ifMatch) return 'repeat';
  const planned = await plannedEvent(at);
  if (planned === undefined) return stored === undefined ? 'stored' : 'unknown';
  if (stored === undefined) return isNew ? 'repeat' : 'unknown';
  // Nobody else makes an event with that UID.
  return isNew || saysSame(stored, planned) ? 'stored' : 'unknown';
}

/** A server may write a document anew in its own way: what it says of the event counts. */
function saysSame({ event }: StoredEvent, planned: EventFacts): boolean {
  return canonicalJson(said(event)) === canonicalJson(said(planned));
}

/** The event as the plan stores it; undefined: it takes the event out of the calendar. */
async function plannedEvent({ record, key, calendar, call }: Running): Promise<EventFacts | undefined> {
  if (record.document === null) return undefined;
  const reading = { timezone: record.timezone, signal: call.signal };
  const says = await calendar.documents.read(record.document, key, reading);
  if (says.kind === 'unreadable') throw new Error('the document of the plan cannot be read');
  return says.kind === 'event' ? says.event : undefined;
}

function said({ title, start, end, status, attendees }: EventFacts) {
  return { title, start, end, status, attendees: attendees.map(({ address }) => address).sort() };
}

/** The copy of the message in Sent. */
export async function followUpEvent(plan: ActionPlan, run: RunContext): Promise<void> {
  if (plan.raw !== null) await followUpSend(plan, run, null);
}

import type { Result } from '../outcome.ts';
import { type ActionPlan, canonicalJson } from '../plan.ts';
import type { Calendar, EventKey, StoredEvent } from '../ports/calendar.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import { checkSend, followUpSend, performSend } from '../send-plan.ts';
import type { Checked, RunContext } from '../tools/define-tool.ts';
import { type EventFacts, eventFacts } from './event-facts.ts';
import { type EventRecord, eventRecordOf } from './event-plan.ts';

/** Carries out the plan of a change of the calendar: stores or removes the object, then writes to the attendees. */

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
  const { name, ics, ifMatch } = record;
  const place = { calendar: record.calendar, name };
  if (ics !== null) return calendar.write(call, { ...place, ics, ifMatch }, start);
  if (ifMatch === null) throw new Error('the plan removes an object that it does not know');
  return calendar.remove(call, { ...place, ifMatch }, start);
}

/** The ETag of what was just stored; undefined where there is none of it, or the server does not tell. */
async function storedEtag({ record, key, calendar, call }: Running): Promise<string | undefined> {
  if (record.ics === null) return undefined;
  try {
    const stored = await calendar.read(call, { ...key, recurrenceId: null }, record.timezone);
    return stored !== undefined && saysSame(stored.ics, record) ? stored.etag : undefined;
  } catch (error) {
    // It only cannot be taken back then.
    if (error instanceof MailError) return undefined;
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
  const { name, ics, replaced } = record;
  const place = { calendar: record.calendar, name };
  const begun = async () => true;
  try {
    if (ics === null && replaced !== null) {
      return await calendar.write(call, { ...place, ics: replaced, ifMatch: null }, begun);
    }
    if (etag === undefined) throw new MailError('conflict', 'the event is not as it was stored');
    if (replaced === null) return await calendar.remove(call, { ...place, ifMatch: etag }, begun);
    return await calendar.write(call, { ...place, ics: replaced, ifMatch: etag }, begun);
  } catch (error) {
    throw new MailError('outcome_unknown', 'the event was stored, and its attendees could not be told', {
      cause: new AggregateError([cause, error]),
    });
  }
}

/**
 * After a crash: an object that is not as the plan would have it was certainly not stored when its ETag is still the
 * one of before. Whether a message went out cannot be known, unless it lies in Sent.
 */
export const checkEvent =
  (action: string) =>
  async (plan: ActionPlan, run: RunContext): Promise<Checked> => {
    const { record, key, calendar, call } = await running(plan, run);
    const stored = await calendar.read(call, key, record.timezone);
    const found = judge(record, stored);
    if (found !== 'stored') return { kind: found };
    const result = doneResult(record, action);
    if (plan.raw === null) return { kind: 'happened', result };
    const sent = await checkSend(plan, run);
    return sent.kind === 'happened' ? { kind: 'happened', result } : sent;
  };

function judge(record: EventRecord, stored: StoredEvent | undefined): 'stored' | 'repeat' | 'unknown' {
  const isNew = record.ifMatch === null;
  if (stored !== undefined && stored.etag === record.ifMatch) return 'repeat';
  const planned = record.ics === null ? undefined : eventFacts(record.ics, record, record.timezone);
  if (planned === undefined) return stored === undefined ? 'stored' : 'unknown';
  if (stored === undefined) return isNew ? 'repeat' : 'unknown';
  // Nobody else makes an event with that UID.
  return isNew || saysSame(stored.ics, record) ? 'stored' : 'unknown';
}

/** A server may write an object anew in its own way: what it says of the event counts. */
function saysSame(ics: string, record: EventRecord): boolean {
  if (record.ics === null) return false;
  const [there, planned] = [ics, record.ics].map((text) => eventFacts(text, record, record.timezone));
  return canonicalJson(there && said(there)) === canonicalJson(planned && said(planned));
}

function said({ title, start, end, status, attendees }: EventFacts) {
  return { title, start, end, status, attendees: attendees.map(({ address }) => address).sort() };
}

/** The copy of the message in Sent. */
export async function followUpEvent(plan: ActionPlan, run: RunContext): Promise<void> {
  if (plan.raw !== null) await followUpSend(plan, run, null);
}

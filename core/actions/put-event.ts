import * as z from 'zod';
import type { EventFacts } from '../calendar/event.ts';
import { ServiceError } from '../contract/errors.ts';
import type { StoredEvent } from '../ports/calendar.ts';
import { MailError } from '../ports/mail.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import type { Action } from './action.ts';
import {
  checkTold,
  type EventResult,
  eventResult,
  factsOf,
  frozenChange,
  type Opened,
  opened,
  readNow,
  replacedDocument,
  tell,
} from './change-event.ts';
import { saveCopy } from './frozen-message.ts';

/** Stores a document of the calendar, new or changed, and tells the attendees. */

const eventWord = z.enum(['create', 'propose', 'update', 'confirm', 'cancel']);
export type EventWord = z.infer<typeof eventWord>;

export const storedPutEvent = frozenChange.extend({
  kind: z.literal('put_event'),
  word: eventWord,
  /** What is stored, character for character. */
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
    facts: (ports) => factsOf(stored, ports),
    async perform(run) {
      const at = await opened(stored, run);
      const { calendar, call, place } = at;
      await calendar.write(call, { ...place, document, ifMatch: replaced?.etag ?? null }, run.start);
      const etag = message === null ? undefined : await storedEtag(stored, at);
      await tell(stored, run, async () => {
        // It cannot be taken back if somebody else has changed it meanwhile.
        if (etag === undefined) throw new MailError('conflict', 'the event is not as it was stored');
        if (replaced === null) return calendar.remove(call, { ...place, ifMatch: etag }, run.start);
        return calendar.write(call, { ...place, document: replaced.document, ifMatch: etag }, run.start);
      });
      return result;
    },
    /** It was certainly not stored if the ETag is still the one of before. */
    async check(run) {
      const at = await opened(stored, run);
      const found = await judge(stored, at, await readNow(stored, at));
      return found === 'stored' ? checkTold(stored, run, result) : { kind: found };
    },
    ...(message && { followUp: (run) => saveCopy(account.accountId, message, run) }),
  };
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

/** The ETag of what was just stored; undefined if something else is there, or the server does not tell. */
async function storedEtag(change: StoredPutEvent, at: Opened): Promise<string | undefined> {
  try {
    const planned = await plannedEvent(change, at);
    if (planned !== undefined) {
      const now = await readNow(change, at);
      return now && saysSame(now, planned) ? now.etag : undefined;
    }
    // Of an instance that is taken out, the rest of its series is there. Its ETag is read first: a change by somebody
    // else behind that is then a conflict.
    const rest = await readNow(change, { ...at, key: { ...at.key, recurrenceId: null } });
    return (await readNow(change, at)) === undefined ? rest?.etag : undefined;
  } catch (error) {
    // It only cannot be taken back then.
    if (error instanceof MailError || error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The event as the plan stores it; undefined: it takes the event out of the calendar. */
async function plannedEvent(
  { document, timezone }: StoredPutEvent,
  { calendar, call, key }: Opened,
): Promise<EventFacts | undefined> {
  const says = await calendar.documents.read(document, key, { timezone, signal: call.signal });
  if (says.kind === 'unreadable') throw new Error('the document of the plan cannot be read');
  return says.kind === 'event' ? says.event : undefined;
}

/** A server may write a document anew in its own way: what it says of the event counts. */
function saysSame({ event }: StoredEvent, planned: EventFacts): boolean {
  return canonicalJson(said(event)) === canonicalJson(said(planned));
}

function said({ title, start, end, status, attendees }: EventFacts) {
  return { title, start, end, status, attendees: attendees.map(({ address }) => address).sort() };
}

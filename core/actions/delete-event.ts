import * as z from 'zod';
import type { Action } from './action.ts';
import {
  checkNotified,
  type EventResult,
  eventResult,
  factsOf,
  frozenChange,
  notifyAttendees,
  openCalendar,
  reachOfChange,
  readNow,
  replacedDocument,
} from './change-event.ts';
import { saveCopy } from './frozen-message.ts';

/** Removes a document from the calendar, and notifies the attendees. */

export const storedDeleteEvent = frozenChange.extend({
  kind: z.literal('delete_event'),
  /** The document to remove. */
  replaced: replacedDocument,
});
type StoredDeleteEvent = z.infer<typeof storedDeleteEvent>;

export function deleteEvent(stored: StoredDeleteEvent): Action<StoredDeleteEvent, EventResult> {
  const { account, message, replaced } = stored;
  const result = eventResult('cancel', stored);
  return {
    stored,
    account,
    isHeldWhenRepeated: true,
    relocated: [],
    recipients: stored.recipients,
    reach: reachOfChange(stored),
    facts: (...given) => factsOf({ ...stored, document: null }, ...given),
    async perform(run) {
      const { calendar, call, place } = await openCalendar(stored, run);
      await calendar.remove(call, { ...place, ifMatch: replaced.etag }, run.start);
      await notifyAttendees(stored, run, () =>
        calendar.write(call, { ...place, document: replaced.document, ifMatch: null }, run.start),
      );
      return result;
    },
    /** It was certainly not removed if the ETag is unchanged. */
    async check(run) {
      const now = await readNow(stored, await openCalendar(stored, run));
      if (now === undefined) return checkNotified(stored, run, result);
      return { kind: now.etag === replaced.etag ? 'not' : 'unknown' };
    },
    ...(message && { followUp: (run) => saveCopy(account.accountId, message, run) }),
  };
}

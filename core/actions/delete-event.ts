import * as z from 'zod';
import type { Action } from './action.ts';
import {
  checkTold,
  type EventResult,
  eventResult,
  factsOf,
  frozenChange,
  opened,
  readNow,
  replacedDocument,
  tell,
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
    facts: (ports) => factsOf({ ...stored, document: null }, ports),
    async perform(run) {
      const { calendar, call, place } = await opened(stored, run);
      await calendar.remove(call, { ...place, ifMatch: replaced.etag }, run.start);
      await tell(stored, run, () =>
        calendar.write(call, { ...place, document: replaced.document, ifMatch: null }, run.start),
      );
      return result;
    },
    /** It was certainly not removed if the ETag is unchanged. */
    async check(run) {
      const now = await readNow(stored, await opened(stored, run));
      if (now === undefined) return checkTold(stored, run, result);
      return { kind: now.etag === replaced.etag ? 'not' : 'unknown' };
    },
    ...(message && { followUp: (run) => saveCopy(account.accountId, message, run) }),
  };
}

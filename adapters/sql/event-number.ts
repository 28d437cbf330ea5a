import { createHash } from 'node:crypto';
import type { EventKey } from '../../core/calendar/event.ts';
import type { NumberedKey } from '../../core/ports/store.ts';
import type { NumberedEvent } from '../../core/ports/tracker-storage.ts';
import { integer, type Row, text } from './row.ts';

/** Returns a hash for the index, however long the parts of the key are. */
export function hashOfKey({ calendar, uid, recurrenceId, documentName }: EventKey): string {
  const parts = [calendar, uid, recurrenceId, ...(documentName === undefined ? [] : [documentName])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function readNumberedKey(row: Row): NumberedKey {
  return { eventId: integer(row, 'event_id'), event: readKey(row) };
}

export function readNumberedEvent(row: Row): NumberedEvent {
  return { accountId: integer(row, 'account_id'), key: readKey(row) };
}

function readKey(row: Row): EventKey {
  const recurrenceId = text(row, 'recurrence_id');
  const documentName = text(row, 'document_name');
  return {
    calendar: text(row, 'calendar'),
    uid: text(row, 'uid'),
    recurrenceId: recurrenceId === '' ? null : recurrenceId,
    ...(documentName === '' ? {} : { documentName }),
  };
}

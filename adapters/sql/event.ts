import { eventContent } from '../../core/events/webhook-event.ts';
import type { EventStorage, PositionedEvent } from '../../core/ports/event-storage.ts';
import type { StoredEvent } from '../../core/ports/stored-event.ts';
import { flag, instant, integer, object, type Row, text } from './row.ts';

/** Of an event `v`. */
export const EVENT_COLUMNS = `v.sequence, v.event_id, v.type, v.credential_id, v.created_at_ms, v.data`;

export function readEvent(row: Row): StoredEvent {
  const credentialId = text(row, 'credential_id');
  return {
    ...eventContent({ type: text(row, 'type'), data: object(row, 'data') }),
    sequence: integer(row, 'sequence'),
    id: text(row, 'event_id'),
    credentialId: credentialId === '' ? null : credentialId,
    createdAt: instant(row, 'created_at_ms'),
  };
}

export function readPositionedEvent(row: Row): PositionedEvent {
  return { ownerId: text(row, 'owner_id'), position: integer(row, 'position'), event: readEvent(row) };
}

/** @throws Error if no migration has created the stream of this type */
export function readEventStream(row: Row | undefined): Awaited<ReturnType<EventStorage['eventStream']>> {
  if (row === undefined) throw new Error('This type of event has no stream.');
  return {
    streamId: text(row, 'stream_id'),
    lastPosition: integer(row, 'last_position'),
    erasedPosition: integer(row, 'erased_position'),
    hasUnnumbered: flag(row, 'has_unnumbered'),
  };
}

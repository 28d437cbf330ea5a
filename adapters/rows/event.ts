import { eventContent } from '../../core/events/webhook-event.ts';
import type { StoredEvent } from '../../core/ports/stored-event.ts';
import { instant, integer, object, type Row, text } from './row.ts';

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

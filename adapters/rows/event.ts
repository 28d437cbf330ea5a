import { APPROVAL_STATES } from '../../core/approvals/approval.ts';
import type { StoredEvent } from '../../core/ports/storage.ts';
import { instant, integer, integerOrNull, object, oneOf, type Row, text } from './row.ts';

export function readEvent(row: Row): StoredEvent {
  const data = object(row, 'data');
  return {
    sequence: integer(row, 'sequence'),
    id: text(row, 'event_id'),
    type: oneOf(row, 'type', ['approval.decided']),
    credentialId: text(row, 'credential_id'),
    createdAt: instant(row, 'created_at_ms'),
    data: {
      approval_id: text(data, 'approval_id'),
      state: oneOf(data, 'state', APPROVAL_STATES),
      account_id: integerOrNull(data, 'account_id'),
    },
  };
}

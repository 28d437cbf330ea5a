import { randomBytes } from 'node:crypto';
import type { Approval, ApprovalState } from '../../core/approval.ts';
import type { Storage, StoredEvent } from '../../core/ports/storage.ts';
import { readEvent } from '../rows/event.ts';
import { type Database, reading, type Transaction } from './database.ts';

const BEHIND =
  'SELECT * FROM countersign.events WHERE owner_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3';

export function postgresEvents(db: Database): Pick<Storage, 'events'> {
  return {
    events: reading(db, async ({ rows }, { ownerId, afterId, limit }) =>
      (await rows(BEHIND, [ownerId, afterId, limit])).map(readEvent),
    ),
  };
}

const INSERT = `
  WITH next AS (
    UPDATE countersign.owners SET last_event_sequence = last_event_sequence + 1 WHERE owner_id = $1
    RETURNING last_event_sequence)
  INSERT INTO countersign.events (owner_id, sequence, event_id, type, credential_id, created_at_ms, data)
  SELECT $1::text, last_event_sequence, $2::text, 'approval.decided', $3::text, $4::bigint, $5::text FROM next`;

/** Tells that an approval came to `state`. For use inside the transaction that changes it. */
export async function tellOf(
  tx: Transaction,
  approval: Approval,
  state: ApprovalState,
  now: Date,
): Promise<void> {
  const data: StoredEvent['data'] = { approval_id: approval.id, state, account_id: approval.accountId };
  const eventId = `evt_${randomBytes(16).toString('base64url')}`;
  const values = [approval.ownerId, eventId, approval.credentialId, now.getTime(), JSON.stringify(data)];
  if ((await tx.run(INSERT, values)) !== 1) {
    throw new Error('The owner of an approval is not in the database.');
  }
}

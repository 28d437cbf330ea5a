import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Approval, ApprovalState } from '../../core/approval.ts';
import type { Storage, StoredEvent } from '../../core/ports/storage.ts';
import { readEvent } from '../rows/event.ts';
import { integer, type Row } from '../rows/row.ts';
import { reading } from './database.ts';

export function sqliteEvents(db: Database): Pick<Storage, 'events'> {
  const behind = db.prepare<[string, number, number], Row>(
    'SELECT * FROM events WHERE owner_id = ? AND sequence > ? ORDER BY sequence LIMIT ?',
  );
  return {
    events: reading(({ ownerId, afterId, limit }) => behind.all(ownerId, afterId, limit).map(readEvent)),
  };
}

/** Tells that an approval came to `state`. For use inside the transaction that changes it. */
export function eventWriter(db: Database): (approval: Approval, state: ApprovalState, now: Date) => void {
  const nextSequence = db.prepare<[string], Row>(
    'UPDATE owners SET last_event_sequence = last_event_sequence + 1 WHERE owner_id = ? RETURNING last_event_sequence',
  );
  const insert = db.prepare(`
    INSERT INTO events (owner_id, sequence, event_id, type, credential_id, created_at_ms, data)
    VALUES (?, ?, ?, 'approval.decided', ?, ?, ?)`);
  return (approval, state, now) => {
    const owner = nextSequence.get(approval.ownerId);
    if (owner === undefined) throw new Error('The owner of an approval is not in the database.');
    const data: StoredEvent['data'] = { approval_id: approval.id, state, account_id: approval.accountId };
    insert.run(
      approval.ownerId,
      integer(owner, 'last_event_sequence'),
      `evt_${randomBytes(16).toString('base64url')}`,
      approval.credentialId,
      now.getTime(),
      JSON.stringify(data),
    );
  };
}

import type { Database } from 'better-sqlite3';
import type { Activity, Storage } from '../../core/ports/storage.ts';
import { readActivity } from '../rows/activity.ts';
import { integer, type Row, text } from '../rows/row.ts';
import { reading } from './database.ts';

export function sqliteActivity(db: Database): Pick<Storage, 'activity'> {
  const newest = db.prepare<[string, number], Row>(
    'SELECT * FROM activity WHERE owner_id = ? ORDER BY activity_id DESC LIMIT ?',
  );
  return {
    activity: reading(({ ownerId, limit }) => newest.all(ownerId, limit).map(readActivity)),
  };
}

/** For use inside the transaction that does what the row tells of. */
export function activityWriter(db: Database): (ownerId: string, activity: Activity, now: Date) => void {
  const insert = db.prepare(`
    INSERT INTO activity (owner_id, activity_id, at_ms, kind, credential_id, tool, outcome, approval_id, duration_ms,
      shown, listed)
    VALUES (?,
      1 + coalesce((SELECT activity_id FROM activity WHERE owner_id = ? ORDER BY activity_id DESC LIMIT 1), 0),
      ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return (ownerId, activity, now) => {
    insert.run(
      ownerId,
      ownerId,
      now.getTime(),
      activity.kind,
      activity.credentialId,
      activity.tool,
      activity.outcome,
      activity.approvalId,
      Math.round(activity.durationMs),
      JSON.stringify(activity.shown),
      JSON.stringify(activity.listed),
    );
  };
}

/** Deletes every owner's rows from before `before`, from the oldest on: ids rise with time. */
export function activityEraser(db: Database): (before: Date) => void {
  const owners = db.prepare<[], Row>('SELECT owner_id FROM owners');
  const firstKept = db.prepare<[string, number], Row>(
    'SELECT activity_id FROM activity WHERE owner_id = ? AND at_ms >= ? ORDER BY activity_id LIMIT 1',
  );
  const eraseBelow = db.prepare('DELETE FROM activity WHERE owner_id = ? AND activity_id < ?');
  const eraseAll = db.prepare('DELETE FROM activity WHERE owner_id = ?');
  return (before) => {
    for (const owner of owners.all()) {
      const ownerId = text(owner, 'owner_id');
      const kept = firstKept.get(ownerId, before.getTime());
      if (kept === undefined) eraseAll.run(ownerId);
      else eraseBelow.run(ownerId, integer(kept, 'activity_id'));
    }
  };
}

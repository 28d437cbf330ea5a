import type { Activity, Storage } from '../../core/ports/storage.ts';
import { readActivity } from '../rows/activity.ts';
import { type Database, reading, type Transaction } from './database.ts';

const NEWEST = 'SELECT * FROM countersign.activity WHERE owner_id = $1 ORDER BY activity_id DESC LIMIT $2';

export function postgresActivity(db: Database): Pick<Storage, 'activity'> {
  return {
    activity: reading(db, async ({ rows }, { ownerId, limit }) =>
      (await rows(NEWEST, [ownerId, limit])).map(readActivity),
    ),
  };
}

const INSERT = {
  name: 'countersign-record-activity-1',
  text: `
    INSERT INTO countersign.activity (owner_id, activity_id, at_ms, kind, credential_id, tool, outcome, approval_id,
      duration_ms, shown, listed)
    VALUES ($1, 1 + coalesce((
        SELECT activity_id FROM countersign.activity WHERE owner_id = $1 ORDER BY activity_id DESC LIMIT 1), 0),
      $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

/** For use inside the transaction that does what the row tells of, and that has locked the owner. */
export async function recordActivity(
  tx: Transaction,
  ownerId: string,
  activity: Activity,
  now: Date,
): Promise<void> {
  await tx.run(INSERT, [
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
  ]);
}

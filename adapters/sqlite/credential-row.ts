import type { Database } from 'better-sqlite3';
import type { Group } from '../../core/permissions.ts';
import { readStanding, type Standing } from '../rows/credential.ts';
import type { Row } from '../rows/row.ts';

/** What a credential may do now, read anew. */
export function standingReader(
  db: Database,
): (ownerId: string, credentialId: string, group: Group, now: Date) => Standing | undefined {
  const find = db.prepare<[string, string], Row>(`
    SELECT c.*, o.plan, o.limits
    FROM credentials c JOIN owners o ON o.owner_id = c.owner_id
    WHERE c.owner_id = ? AND c.credential_id = ?`);
  return (ownerId, credentialId, group, now) => {
    const row = find.get(ownerId, credentialId);
    return row && readStanding(row, group, now);
  };
}

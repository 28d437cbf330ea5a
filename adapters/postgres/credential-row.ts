import type { Group } from '../../core/permissions.ts';
import { readStanding, type Standing } from '../rows/credential.ts';
import type { Transaction } from './database.ts';

/** One by one: a prepared statement may not come to answer more columns. */
export function credentialColumns(table: string): string {
  return COLUMNS.map((column) => `${table}.${column}`).join(', ');
}

const COLUMNS = [
  'owner_id',
  'credential_id',
  'kind',
  'name',
  'modes',
  'revision',
  'created_at_ms',
  'expires_at_ms',
  'overlap_until_ms',
  'revoked_at_ms',
];

const FIND = {
  name: 'countersign-standing-1',
  text: `
    SELECT ${credentialColumns('c')}, o.plan, o.limits
    FROM countersign.credentials c JOIN countersign.owners o ON o.owner_id = c.owner_id
    WHERE c.owner_id = $1 AND c.credential_id = $2`,
};

/** What a credential may do now, read anew. */
export async function standingOf(
  tx: Transaction,
  ownerId: string,
  credentialId: string,
  group: Group,
  now: Date,
): Promise<Standing | undefined> {
  const row = await tx.row(FIND, [ownerId, credentialId]);
  return row && readStanding(row, group, now);
}

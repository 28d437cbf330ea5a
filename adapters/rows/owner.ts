import type { Owner } from '../../core/ports/storage.ts';
import { readOverrides, readPlan } from './credential.ts';
import { integerOrNull, type Row, text } from './row.ts';

export function readOwner(row: Row): Owner {
  return {
    ownerId: text(row, 'owner_id'),
    email: text(row, 'email'),
    timezone: text(row, 'timezone'),
    plan: readPlan(row),
    limits: readOverrides(row),
    activeAccountId: integerOrNull(row, 'active_account_id'),
  };
}

/** Here and not by a database: SQLite's own NOCASE folds ASCII only, Postgres' follows the language that it is set to. */
export function folded(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

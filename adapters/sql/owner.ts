import { hash } from 'node:crypto';
import { PROOF_LEVELS } from '../../core/gate/owner-proof.ts';
import type { Owner } from '../../core/ports/owner-storage.ts';
import { readOverrides, readPlan } from './credential.ts';
import { integer, integerOrNull, oneOf, type Row, text } from './row.ts';

export function readOwner(row: Row): Owner {
  return {
    ownerId: text(row, 'owner_id'),
    email: text(row, 'email'),
    timezone: text(row, 'timezone'),
    language: text(row, 'language'),
    plansKeptDays: integer(row, 'plans_kept_days'),
    proofFor: oneOf(row, 'proof_for', PROOF_LEVELS),
    plan: readPlan(row),
    limits: readOverrides(row),
    activeAccountId: integerOrNull(row, 'active_account_id'),
  };
}

/** What is kept of the id of a removed owner: its SHA-256, hex. */
export function ownerHash(ownerId: string): string {
  return hash('sha256', ownerId);
}

/** Not done by a database: SQLite's NOCASE folds only ASCII, and Postgres follows its language setting. */
export function folded(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

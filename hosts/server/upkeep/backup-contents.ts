import { RESTORED_LEASE_MS } from '../../../core/approvals/approval-state.ts';

/** What a backup contains. */
export interface BackupContents {
  readonly schemaVersion: number;
  /** The ids of the secret keys that its values need (`keyIdOf`). */
  readonly keyIds: ReadonlySet<string>;
  /** The number of requests that wait for the owner. */
  readonly pending: number;
  /** The number of requests that were approved and had not ended. */
  readonly approved: number;
}

/**
 * Statements to run with a restore, in the same transaction. What happened after the backup was made is not in it:
 * - An approved request may have been carried out. It never runs, and ends as `outcome_unknown` at the next start.
 * - The owner may have ended a session, and a form may have been used. Every session ends.
 * @param schema  what the names of the tables start with
 */
export function restoredStatements(schema: string): readonly string[] {
  return [
    `UPDATE ${schema}approvals SET lease_until_ms = ${RESTORED_LEASE_MS} WHERE state = 'approved'`,
    `DELETE FROM ${schema}sessions`,
  ];
}

import type { Storage } from '../../core/ports/storage.ts';
import { readApproval } from '../rows/approval.ts';
import { findApproval, findPlan } from './approval-table.ts';
import { type Database, reading } from './database.ts';

/** Statements of one page each, by what they are filtered by beside the owner. */
function page(...conditions: string[]): string {
  return `
    SELECT * FROM countersign.approvals
    WHERE ${['owner_id = $1', ...conditions].join(' AND ')} AND (created_at_ms, approval_id) < ($2, $3)
    ORDER BY created_at_ms DESC, approval_id DESC LIMIT $4`;
}

const OF_KEY = 'credential_id = $5';
const OPEN = 'ended_at_ms IS NULL';
const OF_OWNER = { all: page(), open: page(OPEN) };
const OF_CREDENTIAL = { all: page(OF_KEY), open: page(OPEN, OF_KEY) };

export function postgresApprovalLists(db: Database): Pick<Storage, 'approval' | 'approvals' | 'plan'> {
  return {
    approval: reading(db, findApproval),

    approvals: reading(db, async ({ rows }, { ownerId, credentialId, state, after, limit }) => {
      const { createdAtMs, id } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' };
      // One more than asked for tells whether there are more.
      const range = [ownerId, createdAtMs, id, limit + 1];
      const found =
        credentialId === undefined
          ? await rows(OF_OWNER[state], range)
          : await rows(OF_CREDENTIAL[state], [...range, credentialId]);
      return { approvals: found.slice(0, limit).map(readApproval), more: found.length > limit };
    }),

    plan: reading(
      db,
      async (db, ownerId, approvalId) => (await findPlan(db, ownerId, approvalId)) ?? undefined,
    ),
  };
}

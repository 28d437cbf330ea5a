import type { Database } from 'better-sqlite3';
import type { Storage } from '../../core/ports/storage.ts';
import { readApproval } from '../rows/approval.ts';
import type { Row } from '../rows/row.ts';
import type { ApprovalTable } from './approval-table.ts';
import { reading } from './database.ts';

export function sqliteApprovalLists(
  db: Database,
  table: ApprovalTable,
): Pick<Storage, 'approval' | 'approvals' | 'plan'> {
  const page = (index: string, ...conditions: string[]) =>
    db.prepare<[Readonly<Record<string, string | number>>], Row>(`
      SELECT * FROM approvals INDEXED BY ${index}
      WHERE ${['owner_id = @ownerId', ...conditions].join(' AND ')}
        AND (created_at_ms, approval_id) < (@createdAtMs, @id)
      ORDER BY created_at_ms DESC, approval_id DESC LIMIT @limit`);
  const ofKey = 'credential_id = @credentialId';
  const open = 'ended_at_ms IS NULL';
  const ofOwner = { all: page('approvals_of_owner'), open: page('approvals_open', open) };
  const ofCredential = {
    all: page('approvals_of_credential', ofKey),
    open: page('approvals_open', open, ofKey),
  };

  return {
    approval: reading((ownerId, approvalId) => table.find(ownerId, approvalId)),

    approvals: reading(({ ownerId, credentialId, state, after, limit }) => {
      const { createdAtMs, id } = after ?? { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' };
      // One more than asked for tells whether there are more.
      const range = { ownerId, createdAtMs, id, limit: limit + 1 };
      const rows =
        credentialId === undefined
          ? ofOwner[state].all(range)
          : ofCredential[state].all({ ...range, credentialId });
      return { approvals: rows.slice(0, limit).map(readApproval), more: rows.length > limit };
    }),

    plan: reading((ownerId, approvalId) => table.plan(ownerId, approvalId) ?? undefined),
  };
}

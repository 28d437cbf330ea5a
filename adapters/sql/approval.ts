import {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalState,
  REJECTION_REASONS,
} from '../../core/approvals/approval.ts';
import { GROUPS } from '../../core/gate/permissions.ts';
import type { OpenApprovals } from '../../core/ports/approval-storage.ts';
import {
  flag,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  object,
  oneOf,
  type Row,
  text,
  textOrNull,
  texts,
} from './row.ts';

/** The approvals of each owner in the rows. */
export function readOpenApprovals(rows: readonly Row[]): ReadonlyMap<string, OpenApprovals> {
  const found = new Map<string, { newestId: string; readonly states: Map<string, ApprovalState> }>();
  for (const row of rows) {
    const ownerId = text(row, 'owner_id');
    const id = text(row, 'approval_id');
    const owned = found.get(ownerId) ?? { newestId: '', states: new Map() };
    found.set(ownerId, owned);
    if (flag(row, 'is_newest')) owned.newestId = id;
    else owned.states.set(id, oneOf(row, 'state', APPROVAL_STATES));
  }
  return found;
}

export function readApproval(row: Row): Approval {
  return {
    ownerId: text(row, 'owner_id'),
    id: text(row, 'approval_id'),
    credentialId: text(row, 'credential_id'),
    accountId: integerOrNull(row, 'account_id'),
    tool: text(row, 'tool'),
    group: oneOf(row, 'permission_group', GROUPS),
    action: textOrNull(row, 'action'),
    state: oneOf(row, 'state', APPROVAL_STATES),
    reasons: texts(row, 'reasons'),
    approvedBy: readApprovedBy(row),
    createdAt: instant(row, 'created_at_ms'),
    expiresAt: instant(row, 'expires_at_ms'),
    decidedAt: instantOrNull(row, 'decided_at_ms'),
    decidedIn: textOrNull(row, 'decided_in'),
    rejection:
      row.rejection === null
        ? null
        : {
            reason: oneOf(row, 'rejection', REJECTION_REASONS),
            sealedNote: textOrNull(row, 'sealed_note'),
          },
    edit:
      row.edited_hash === null
        ? null
        : { requestHash: text(row, 'edited_hash'), sealedDiff: textOrNull(row, 'sealed_diff') },
    approvedAt: instantOrNull(row, 'approved_at_ms'),
    startedAt: instantOrNull(row, 'started_at_ms'),
    executedAt: instantOrNull(row, 'executed_at_ms'),
    endedAt: instantOrNull(row, 'ended_at_ms'),
    lease: { fence: integer(row, 'fence'), untilMs: integer(row, 'lease_until_ms') },
    digest: text(row, 'digest'),
    result: row.result === null ? null : object(row, 'result'),
    error: readError(row),
    sizes:
      row.message_bytes === null
        ? null
        : { bytes: integer(row, 'message_bytes'), limitBytes: integerOrNull(row, 'limit_bytes') },
  };
}

function readApprovedBy(row: Row): Approval['approvedBy'] {
  return row.approved_by === null ? null : oneOf(row, 'approved_by', ['owner', 'policy']);
}

function readError(row: Row): ApprovalError | null {
  const error = textOrNull(row, 'error');
  if (error === null || isApprovalError(error)) return error;
  throw new Error('An approval in the database ended for a reason that this program does not know.');
}

function isApprovalError(value: string): value is ApprovalError {
  return APPROVAL_ERRORS.some((error) => error === value);
}

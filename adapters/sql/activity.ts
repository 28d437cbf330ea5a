import { APPROVAL_STATES } from '../../core/approvals/approval.ts';
import { ACTIVITY_KINDS, type ListedActivity, type StoredActivity } from '../../core/ports/activity.ts';
import { readApprovedBy, readError } from './approval.ts';
import { flag, instant, integer, oneOf, type Row, text, textOrNull, texts } from './row.ts';

export function readListedActivity(row: Row): ListedActivity {
  return { ...readActivity(row), id: integer(row, 'activity_id'), request: readRequest(row) };
}

/** Columns of the request, for a row `a` of the activity, with joins of its approval `r` and its plan `p`. */
export const REQUEST_COLUMNS =
  'r.state, r.approved_by, r.error, p.approval_id IS NOT NULL AS has_plan, p.sealed_gist';

function readRequest(row: Row): ListedActivity['request'] {
  if (row.state === null) return null;
  return {
    state: oneOf(row, 'state', APPROVAL_STATES),
    approvedBy: readApprovedBy(row),
    error: readError(row),
    sealedGist: flag(row, 'has_plan') ? textOrNull(row, 'sealed_gist') : undefined,
  };
}

export function readActivity(row: Row): StoredActivity {
  return {
    at: instant(row, 'at_ms'),
    kind: oneOf(row, 'kind', ACTIVITY_KINDS),
    credentialId: textOrNull(row, 'credential_id'),
    tool: textOrNull(row, 'tool'),
    outcome: text(row, 'outcome'),
    approvalId: textOrNull(row, 'approval_id'),
    durationMs: integer(row, 'duration_ms'),
    shown: texts(row, 'shown'),
    listed: texts(row, 'listed'),
  };
}

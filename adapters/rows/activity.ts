import type { Approval } from '../../core/approval.ts';
import type { StoredActivity } from '../../core/ports/storage.ts';
import { instant, integer, oneOf, type Row, text, textOrNull, texts } from './row.ts';

export function readActivity(row: Row): StoredActivity {
  return {
    at: instant(row, 'at_ms'),
    kind: oneOf(row, 'kind', ['call', 'decision', 'settlement']),
    credentialId: textOrNull(row, 'credential_id'),
    tool: textOrNull(row, 'tool'),
    outcome: text(row, 'outcome'),
    approvalId: textOrNull(row, 'approval_id'),
    durationMs: integer(row, 'duration_ms'),
    shown: texts(row, 'shown'),
    listed: texts(row, 'listed'),
  };
}

/** How long the run took, as far as it is known: from its first byte, else from the approval. */
export function settlementOf(approval: Approval, now: Date) {
  const since = approval.startedAt ?? approval.approvedAt ?? now;
  return activityOf('settlement', approval, Math.max(0, now.getTime() - since.getTime()));
}

export function activityOf(kind: 'decision' | 'settlement', approval: Approval, durationMs: number) {
  const { credentialId, tool, state } = approval;
  return {
    kind,
    credentialId,
    tool,
    outcome: state,
    approvalId: approval.id,
    durationMs,
    shown: [],
    listed: [],
  };
}

import { ACTIVITY_KINDS, type StoredActivity } from '../../core/ports/activity.ts';
import { instant, integer, oneOf, type Row, text, textOrNull, texts } from './row.ts';

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

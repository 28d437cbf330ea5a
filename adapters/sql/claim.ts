import type { StoredClaim } from '../../core/ports/store.ts';
import { flag, instant, integer, type Row, text, textOrNull } from './row.ts';

export function readClaim(row: Row): StoredClaim {
  return {
    fence: integer(row, 'fence'),
    requestId: text(row, 'request_id'),
    fingerprint: text(row, 'fingerprint'),
    released: flag(row, 'released'),
    leaseUntil: instant(row, 'lease_until_ms'),
    sealedOutcome: textOrNull(row, 'sealed_outcome'),
    approvalId: textOrNull(row, 'approval_id'),
    createdAt: instant(row, 'created_at_ms'),
  };
}

import type { StoredSession } from '../../core/gate/session.ts';
import { instant, type Row, text, textOrNull } from './row.ts';

/** For a row of `sessions` as `s`. The names do not clash with an owner's columns. */
export const SESSION_COLUMNS = `
  s.owner_id, s.session_id, s.authenticated_at_ms, s.created_at_ms AS session_created_at_ms, s.last_used_at_ms,
  s.browser, s.address, s.proof_key, s.expires_at_ms AS session_expires_at_ms`;

export function readSession(row: Row): StoredSession {
  return {
    id: text(row, 'session_id'),
    ownerId: text(row, 'owner_id'),
    authenticatedAt: instant(row, 'authenticated_at_ms'),
    createdAt: instant(row, 'session_created_at_ms'),
    lastUsedAt: instant(row, 'last_used_at_ms'),
    browser: text(row, 'browser'),
    address: text(row, 'address'),
    proofKey: textOrNull(row, 'proof_key'),
  };
}

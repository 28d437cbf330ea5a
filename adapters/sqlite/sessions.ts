import type { Database } from 'better-sqlite3';
import type { SessionStorage } from '../../core/ports/storage.ts';
import { readOwner } from '../rows/owner.ts';
import type { Row } from '../rows/row.ts';
import { readSession, SESSION_COLUMNS } from '../rows/session.ts';
import { atomic, durable, reading } from './database.ts';

export function sqliteSessions(db: Database): SessionStorage {
  const endOld = db.prepare('DELETE FROM sessions WHERE owner_id = ? AND expires_at_ms <= ?');
  const insert = db.prepare(`
    INSERT INTO sessions (owner_id, session_id, token_hash, authenticated_at_ms, created_at_ms, last_used_at_ms,
      expires_at_ms, browser, address, proof_key)
    SELECT owner_id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM owners WHERE owner_id = ? AND password_hash = ?`);
  const byToken = db.prepare<[string, number], Row>(`
    SELECT o.*, ${SESSION_COLUMNS} FROM sessions s JOIN owners o ON o.owner_id = s.owner_id
    WHERE s.token_hash = ? AND s.expires_at_ms > ?`);
  const ofOwner = db.prepare<[string, number], Row>(`
    SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.owner_id = ? AND s.expires_at_ms > ?
    ORDER BY s.last_used_at_ms DESC, s.session_id LIMIT 100`);
  const use = db.prepare(`
    UPDATE sessions SET last_used_at_ms = max(last_used_at_ms, ?) WHERE owner_id = ? AND session_id = ?`);
  const confirm = db.prepare(`
    UPDATE sessions SET authenticated_at_ms = ?, proof_key = coalesce(?, proof_key)
    WHERE owner_id = ? AND session_id = ?`);
  const takeProof = db.prepare(`
    INSERT INTO session_proofs (owner_id, session_id, nonce)
    SELECT owner_id, session_id, ? FROM sessions WHERE owner_id = ? AND session_id = ?
    ON CONFLICT DO NOTHING`);
  const end = db.prepare('DELETE FROM sessions WHERE owner_id = ? AND session_id = ?');
  const endOthers = db.prepare('DELETE FROM sessions WHERE owner_id = ? AND session_id <> ?');

  return {
    addSession: atomic(db, ({ session, tokenHash, passwordHash, expiresAt }) => {
      const { id, ownerId, authenticatedAt, createdAt, lastUsedAt, browser, address, proofKey } = session;
      endOld.run(ownerId, createdAt.getTime());
      const instants = [authenticatedAt, createdAt, lastUsedAt, expiresAt].map((date) => date.getTime());
      const added = insert.run(id, tokenHash, ...instants, browser, address, proofKey, ownerId, passwordHash);
      return added.changes === 1;
    }),
    session: reading((tokenHash, now) => {
      const row = byToken.get(tokenHash, now.getTime());
      return row === undefined ? undefined : { owner: readOwner(row), session: readSession(row) };
    }),
    sessions: reading((ownerId, now) => ofOwner.all(ownerId, now.getTime()).map(readSession)),
    useSession: atomic(db, ({ ownerId, sessionId, now }) => {
      use.run(now.getTime(), ownerId, sessionId);
    }),
    confirmSession: durable(db, ({ ownerId, sessionId, proofKey, now }) => {
      return confirm.run(now.getTime(), proofKey, ownerId, sessionId).changes === 1;
    }),
    takeProof: atomic(db, ({ ownerId, sessionId, nonce }) => {
      return takeProof.run(nonce, ownerId, sessionId).changes === 1;
    }),
    endSession: durable(db, (ownerId, sessionId) => end.run(ownerId, sessionId).changes === 1),
    endOtherSessions: durable(db, (ownerId, sessionId) => endOthers.run(ownerId, sessionId).changes),
  };
}

import type { SessionStorage } from '../../core/ports/storage.ts';
import { readOwner } from '../rows/owner.ts';
import { readSession, SESSION_COLUMNS } from '../rows/session.ts';
import { atomic, type Database, durable, reading } from './database.ts';
import { lockOwner } from './owner-lock.ts';

const END_OLD = 'DELETE FROM countersign.sessions WHERE owner_id = $1 AND expires_at_ms <= $2';
const INSERT = `
  INSERT INTO countersign.sessions (owner_id, session_id, token_hash, authenticated_at_ms, created_at_ms,
    last_used_at_ms, expires_at_ms, browser, address, proof_key)
  SELECT owner_id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM countersign.owners
  WHERE owner_id = $1 AND password_hash = $2`;
const BY_TOKEN = `
  SELECT o.*, ${SESSION_COLUMNS} FROM countersign.sessions s
  JOIN countersign.owners o ON o.owner_id = s.owner_id
  WHERE s.token_hash = $1 AND s.expires_at_ms > $2`;
const OF_OWNER = `
  SELECT ${SESSION_COLUMNS} FROM countersign.sessions s WHERE s.owner_id = $1 AND s.expires_at_ms > $2
  ORDER BY s.last_used_at_ms DESC, s.session_id LIMIT 100`;
const USE = `
  UPDATE countersign.sessions SET last_used_at_ms = greatest(last_used_at_ms, $3)
  WHERE owner_id = $1 AND session_id = $2`;
const CONFIRM = `
  UPDATE countersign.sessions SET authenticated_at_ms = $3, proof_key = coalesce($4, proof_key)
  WHERE owner_id = $1 AND session_id = $2`;
const TAKE_PROOF = `
  INSERT INTO countersign.session_proofs (owner_id, session_id, nonce)
  SELECT owner_id, session_id, $3 FROM countersign.sessions WHERE owner_id = $1 AND session_id = $2
  ON CONFLICT DO NOTHING`;
const END = 'DELETE FROM countersign.sessions WHERE owner_id = $1 AND session_id = $2';
const END_OTHERS = 'DELETE FROM countersign.sessions WHERE owner_id = $1 AND session_id <> $2';

export function postgresSessions(db: Database): SessionStorage {
  return {
    addSession: atomic(db, async (tx, { session, tokenHash, passwordHash, expiresAt }) => {
      const { id, ownerId, authenticatedAt, createdAt, lastUsedAt, browser, address, proofKey } = session;
      await lockOwner(tx, ownerId);
      await tx.run(END_OLD, [ownerId, createdAt.getTime()]);
      const instants = [authenticatedAt, createdAt, lastUsedAt, expiresAt].map((date) => date.getTime());
      const values = [id, tokenHash, ...instants, browser, address, proofKey];
      return (await tx.run(INSERT, [ownerId, passwordHash, ...values])) === 1;
    }),
    session: reading(db, async ({ row }, tokenHash, now) => {
      const found = await row(BY_TOKEN, [tokenHash, now.getTime()]);
      return found && { owner: readOwner(found), session: readSession(found) };
    }),
    sessions: reading(db, async ({ rows }, ownerId, now) =>
      (await rows(OF_OWNER, [ownerId, now.getTime()])).map(readSession),
    ),
    useSession: atomic(db, async (tx, { ownerId, sessionId, now }) => {
      await lockOwner(tx, ownerId);
      await tx.run(USE, [ownerId, sessionId, now.getTime()]);
    }),
    confirmSession: durable(db, async (tx, { ownerId, sessionId, proofKey, now }) => {
      await lockOwner(tx, ownerId);
      return (await tx.run(CONFIRM, [ownerId, sessionId, now.getTime(), proofKey])) === 1;
    }),
    takeProof: atomic(db, async (tx, { ownerId, sessionId, nonce }) => {
      await lockOwner(tx, ownerId);
      return (await tx.run(TAKE_PROOF, [ownerId, sessionId, nonce])) === 1;
    }),
    endSession: durable(db, async (tx, ownerId, sessionId) => {
      await lockOwner(tx, ownerId);
      return (await tx.run(END, [ownerId, sessionId])) === 1;
    }),
    endOtherSessions: durable(db, async (tx, ownerId, sessionId) => {
      await lockOwner(tx, ownerId);
      return tx.run(END_OTHERS, [ownerId, sessionId]);
    }),
  };
}

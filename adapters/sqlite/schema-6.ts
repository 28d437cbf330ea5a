/**
 * Sessions that can be listed and ended, with the key that proves their browser. Older sessions have no key
 * and end: people sign in again. `sessions.token_hash` belongs to the directory.
 */
export const SCHEMA_6 = `
DROP TABLE sessions;
CREATE TABLE sessions (
  owner_id            TEXT    NOT NULL REFERENCES owners,
  session_id          TEXT    NOT NULL,
  token_hash          TEXT    NOT NULL UNIQUE,
  authenticated_at_ms INTEGER NOT NULL,
  created_at_ms       INTEGER NOT NULL,
  last_used_at_ms     INTEGER NOT NULL,
  expires_at_ms       INTEGER NOT NULL,
  browser             TEXT    NOT NULL,
  address             TEXT    NOT NULL,
  proof_key           TEXT,
  PRIMARY KEY (owner_id, session_id)
) STRICT, WITHOUT ROWID;

-- The nonces of signed forms: each counts once.
CREATE TABLE session_proofs (
  owner_id   TEXT NOT NULL,
  session_id TEXT NOT NULL,
  nonce      TEXT NOT NULL,
  PRIMARY KEY (owner_id, session_id, nonce),
  FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`;

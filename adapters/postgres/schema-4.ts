/**
 * Sessions that can be listed and ended, with the key that proves their browser. Older sessions have no key
 * and end: people sign in again. `sessions.token_hash` belongs to the directory.
 */
export const SCHEMA_4 = `
DROP TABLE countersign.sessions;
CREATE TABLE countersign.sessions (
  owner_id            TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  session_id          TEXT COLLATE "C" NOT NULL,
  token_hash          TEXT COLLATE "C" NOT NULL UNIQUE,
  authenticated_at_ms BIGINT NOT NULL,
  created_at_ms       BIGINT NOT NULL,
  last_used_at_ms     BIGINT NOT NULL,
  expires_at_ms       BIGINT NOT NULL,
  browser             TEXT NOT NULL,
  address             TEXT NOT NULL,
  proof_key           TEXT,
  PRIMARY KEY (owner_id, session_id)
);

-- The nonces of signed forms: each counts once.
CREATE TABLE countersign.session_proofs (
  owner_id   TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  nonce      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, session_id, nonce),
  FOREIGN KEY (owner_id, session_id) REFERENCES countersign.sessions ON DELETE CASCADE
);
`;

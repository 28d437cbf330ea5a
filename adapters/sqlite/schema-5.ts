/**
 * Tries at passwords. `password_tries` is not keyed by owner, because it also counts for emails without one.
 * Its row numbers come from a fixed range, and forgotten rows are erased.
 */
export const SCHEMA_5 = `
CREATE TABLE password_tries (
  row_number    INTEGER PRIMARY KEY,
  failures      INTEGER NOT NULL,
  last_ms       INTEGER NOT NULL,
  forgotten_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX password_tries_forgotten ON password_tries (forgotten_ms);

CREATE TABLE devices (
  owner_id         TEXT    NOT NULL REFERENCES owners,
  device_hash      TEXT    NOT NULL,
  last_sign_in_ms  INTEGER NOT NULL,
  failures         INTEGER NOT NULL,
  last_ms          INTEGER NOT NULL,
  PRIMARY KEY (owner_id, device_hash)
) STRICT, WITHOUT ROWID;
`;

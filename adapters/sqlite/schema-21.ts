/** What calls showed, for a day: keyed hashes, and the sealed names of the sources. */
export const SCHEMA_21 = `
CREATE TABLE reads (
  owner_id      TEXT    NOT NULL,
  read_id       TEXT    NOT NULL,  -- the same for the same credential and content
  at_ms         INTEGER NOT NULL,
  credential_id TEXT    NOT NULL,
  hashes        TEXT    NOT NULL,  -- of addresses, hosts, account numbers and amounts, base64
  phrases       TEXT    NOT NULL,  -- of ten words in a row, base64
  sealed        TEXT    NOT NULL,
  PRIMARY KEY (owner_id, read_id)
) STRICT;
-- It contains all that is searched.
CREATE INDEX reads_of_owner ON reads (owner_id, at_ms, read_id, hashes);
CREATE INDEX reads_by_age ON reads (at_ms);
`;

/**
 * Signatures of the rows of keys. NULL in a row that has not been signed yet: an older version wrote it. NULL in
 * `owners`: none of the owner's rows is signed. And checkpoints of the activity.
 */
export const SCHEMA_10 = `
ALTER TABLE owners ADD COLUMN keys_signed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN keys_signature TEXT;
ALTER TABLE credentials ADD COLUMN signature TEXT;
ALTER TABLE secrets ADD COLUMN signature TEXT;

CREATE TABLE checkpoints (
  owner_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  hour_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  PRIMARY KEY (owner_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_by_age ON checkpoints (hour_ms);
`;

/**
 * Signatures of the rows of keys. NULL in a row that has not been signed yet: an older version wrote it. NULL in
 * `owners`: none of the owner's rows is signed. And checkpoints of the activity.
 */
export const SCHEMA_8 = `
ALTER TABLE countersign.owners ADD COLUMN keys_signed_at_ms BIGINT;
ALTER TABLE countersign.owners ADD COLUMN keys_signature TEXT;
ALTER TABLE countersign.credentials ADD COLUMN signature TEXT;
ALTER TABLE countersign.secrets ADD COLUMN signature TEXT;

CREATE TABLE countersign.checkpoints (
  owner_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  row_count BIGINT NOT NULL,
  hour_ms BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  PRIMARY KEY (owner_id, number)
);
CREATE INDEX checkpoints_by_age ON countersign.checkpoints (hour_ms);
`;

/** The one link that creates the first owner. The row is gone once there is an owner. */
export const SCHEMA_21 = `
CREATE TABLE countersign.setup_link (
  only_row      INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  secret_hash   TEXT COLLATE "C" NOT NULL,  -- SHA-256, hex
  expires_at_ms BIGINT NOT NULL
);
`;

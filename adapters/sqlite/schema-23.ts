/** The one link that creates the first owner. The row is gone once there is an owner. */
export const SCHEMA_23 = `
CREATE TABLE setup_link (
  only_row      INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  secret_hash   TEXT    NOT NULL,  -- SHA-256, hex
  expires_at_ms INTEGER NOT NULL
) STRICT;
`;

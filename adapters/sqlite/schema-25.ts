/** The grants of accounts whose owners signed in at their provider, and the sign-ins that owners have begun there. */
export const SCHEMA_25 = `
ALTER TABLE accounts ADD COLUMN sealed_grant TEXT;  -- NULL: the account signs in with a password
ALTER TABLE accounts ADD COLUMN grant_withdrawn_at_ms INTEGER;
ALTER TABLE accounts ADD COLUMN grant_fence INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN grant_lease_until_ms INTEGER NOT NULL DEFAULT 0;
CREATE TABLE pending_grants (
  owner_id      TEXT    NOT NULL,
  state_hash    TEXT    NOT NULL,
  sealed        TEXT    NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, state_hash)
) STRICT;
`;

/** The grants of accounts whose owners signed in at their provider, and the sign-ins that owners have begun there. */
export const SCHEMA_23 = `
ALTER TABLE countersign.accounts
  ADD COLUMN sealed_grant TEXT COLLATE "C",  -- NULL: the account signs in with a password
  ADD COLUMN grant_withdrawn_at_ms BIGINT,
  ADD COLUMN grant_fence INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN grant_lease_until_ms BIGINT NOT NULL DEFAULT 0;
CREATE TABLE countersign.pending_grants (
  owner_id      TEXT COLLATE "C" NOT NULL,
  state_hash    TEXT COLLATE "C" NOT NULL,
  sealed        TEXT COLLATE "C" NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, state_hash)
);
`;

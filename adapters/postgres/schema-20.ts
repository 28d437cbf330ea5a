/** The name in the From of an account, how often its settings were changed, and how its servers are doing. */
export const SCHEMA_20 = `
ALTER TABLE countersign.accounts
  ADD COLUMN display_name TEXT NOT NULL DEFAULT '',
  ADD COLUMN settings_revision BIGINT NOT NULL DEFAULT 1;

CREATE TABLE countersign.account_health (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  account_id BIGINT NOT NULL,
  leg TEXT COLLATE "C" NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,                               -- NULL: it works
  since_ms BIGINT NOT NULL,
  worked_ms BIGINT,                          -- NULL: not since it was connected
  is_covered BOOLEAN NOT NULL,               -- a notice has told the owner, or nothing has to be told
  PRIMARY KEY (owner_id, account_id, leg)
);
`;

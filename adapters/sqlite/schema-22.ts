/** The name in the From of an account, how often its settings were changed, and how its servers are doing. */
export const SCHEMA_22 = `
ALTER TABLE accounts ADD COLUMN display_name TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN settings_revision INTEGER NOT NULL DEFAULT 1;

CREATE TABLE account_health (
  owner_id TEXT NOT NULL REFERENCES owners,
  account_id INTEGER NOT NULL,
  leg TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,                               -- NULL: it works
  since_ms INTEGER NOT NULL,
  worked_ms INTEGER,                         -- NULL: not since it was connected
  is_covered INTEGER NOT NULL,               -- a notice has told the owner, or nothing has to be told
  PRIMARY KEY (owner_id, account_id, leg)
) STRICT, WITHOUT ROWID;
`;

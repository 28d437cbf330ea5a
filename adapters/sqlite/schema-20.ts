/**
 * Notices to owners that something waits: their channels, when they may come, and which requests they have covered.
 * Earlier requests count as not covered.
 */
export const SCHEMA_20 = `
ALTER TABLE owners ADD COLUMN notice_settings TEXT;     -- JSON; NULL: the defaults
ALTER TABLE owners ADD COLUMN last_notice_ms INTEGER;   -- NULL: none since the owner opened a page
ALTER TABLE approvals ADD COLUMN is_covered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX approvals_uncovered ON approvals (owner_id, created_at_ms) WHERE state = 'pending' AND is_covered = 0;

CREATE TABLE notice_channels (
  owner_id TEXT NOT NULL REFERENCES owners,
  channel_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sealed_target TEXT NOT NULL,
  code TEXT,                                 -- JSON; NULL: confirmed
  tries INTEGER NOT NULL,
  retry_at_ms INTEGER,
  failing_since_ms INTEGER,
  problem TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, channel_id)
) STRICT, WITHOUT ROWID;
`;

/**
 * Notices to owners that something waits: their channels, when they may come, and which requests they have covered.
 * Earlier requests count as not covered.
 */
export const SCHEMA_18 = `
ALTER TABLE countersign.owners
  ADD COLUMN notice_settings TEXT,           -- JSON; NULL: the defaults
  ADD COLUMN last_notice_ms BIGINT;          -- NULL: none since the owner opened a page
ALTER TABLE countersign.approvals ADD COLUMN is_covered BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX approvals_uncovered ON countersign.approvals (owner_id, created_at_ms)
WHERE state = 'pending' AND NOT is_covered;

CREATE TABLE countersign.notice_channels (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  channel_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sealed_target TEXT NOT NULL,
  code TEXT,                                 -- JSON; NULL: confirmed
  tries BIGINT NOT NULL,
  retry_at_ms BIGINT,
  failing_since_ms BIGINT,
  problem TEXT,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, channel_id)
);
`;

/** The language of dates, how long plans are kept, and what happened to an owner's own access. */
export const SCHEMA_24 = `
ALTER TABLE countersign.owners
  ADD COLUMN language TEXT COLLATE "C" NOT NULL DEFAULT 'en-GB',
  ADD COLUMN plans_kept_days INTEGER NOT NULL DEFAULT 30,
  -- NULL: it did not happen, or the owner has confirmed it.
  ADD COLUMN password_changed_at_ms BIGINT,
  ADD COLUMN second_step_changed_at_ms BIGINT,
  ADD COLUMN recovery_code_used_at_ms BIGINT,
  ADD COLUMN access_notice_due INTEGER NOT NULL DEFAULT 0;  -- 1: until a notice is sent
DROP INDEX countersign.approvals_erasable;
CREATE INDEX approvals_erasable ON countersign.approvals (owner_id, ended_at_ms) WHERE has_plan;
`;

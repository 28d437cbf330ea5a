/** The language of dates, how long plans are kept, and what happened to an owner's own access. */
export const SCHEMA_26 = `
ALTER TABLE owners ADD COLUMN language TEXT NOT NULL DEFAULT 'en-GB';
ALTER TABLE owners ADD COLUMN plans_kept_days INTEGER NOT NULL DEFAULT 30;
-- NULL: it did not happen, or the owner has confirmed it.
ALTER TABLE owners ADD COLUMN password_changed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN second_step_changed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN recovery_code_used_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN access_notice_due INTEGER NOT NULL DEFAULT 0;  -- 1: until a notice is sent
DROP INDEX approvals_erasable;
CREATE INDEX approvals_erasable ON approvals (owner_id, ended_at_ms) WHERE has_plan = 1;
`;

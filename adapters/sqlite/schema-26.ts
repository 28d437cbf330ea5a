/** The language of dates, how long plans are kept, and what changed of an owner's way in. */
export const SCHEMA_26 = `
ALTER TABLE owners ADD COLUMN language TEXT NOT NULL DEFAULT 'en-GB';
ALTER TABLE owners ADD COLUMN plans_kept_days INTEGER NOT NULL DEFAULT 30;
-- NULL: it did not happen, or the owner has confirmed it.
ALTER TABLE owners ADD COLUMN password_changed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN second_step_changed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN recovery_code_used_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN way_in_changed_at_ms INTEGER;  -- NULL: a notice was sent, or none is due
DROP INDEX approvals_erasable;
CREATE INDEX approvals_erasable ON approvals (owner_id, ended_at_ms) WHERE has_plan = 1;
`;

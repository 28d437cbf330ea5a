/** Why and where the owner decided, and what the owner changed before approving. */
export const SCHEMA_18 = `
ALTER TABLE approvals ADD COLUMN decided_in TEXT;   -- the id of a session, or 'app'
ALTER TABLE approvals ADD COLUMN rejection TEXT;
ALTER TABLE approvals ADD COLUMN sealed_note TEXT;  -- NULL: none, or erased with the plan
ALTER TABLE approvals ADD COLUMN edited_hash TEXT;  -- request_hash with the changes; NULL: there are none
ALTER TABLE approvals ADD COLUMN sealed_diff TEXT;
ALTER TABLE plans ADD COLUMN sealed_asked TEXT;
CREATE INDEX approvals_edited ON approvals (owner_id, edited_hash, state, ended_at_ms)
  WHERE edited_hash IS NOT NULL;
`;

/**
 * The hash that similar requests share. NULL: filed before this column existed; only the same request is
 * refused.
 */
export const SCHEMA_7 = `
ALTER TABLE approvals ADD COLUMN similar_hash TEXT;
CREATE INDEX approvals_similar ON approvals (owner_id, similar_hash, ended_at_ms) WHERE state = 'rejected';
`;

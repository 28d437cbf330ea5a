/**
 * The hash that similar requests share. NULL: filed before this column existed; only the same request is
 * refused.
 */
export const SCHEMA_5 = `
ALTER TABLE countersign.approvals ADD COLUMN similar_hash TEXT COLLATE "C";
CREATE INDEX approvals_similar ON countersign.approvals (owner_id, similar_hash, ended_at_ms) WHERE state = 'rejected';
`;

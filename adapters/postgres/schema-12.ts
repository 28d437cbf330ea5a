/** The pause and the fences of keys. */
export const SCHEMA_12 = `
ALTER TABLE countersign.credentials ADD COLUMN paused_at_ms BIGINT;
ALTER TABLE countersign.credentials ADD COLUMN fences TEXT;     -- JSON; null: none
`;

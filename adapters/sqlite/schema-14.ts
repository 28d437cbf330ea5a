/** The pause and the fences of keys. */
export const SCHEMA_14 = `
ALTER TABLE credentials ADD COLUMN paused_at_ms INTEGER;
ALTER TABLE credentials ADD COLUMN fences TEXT;                 -- JSON; null: none
`;

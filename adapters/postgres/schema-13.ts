/** How often the owner wrote to each known recipient. Older rows count once. */
export const SCHEMA_13 = `
ALTER TABLE countersign.known_recipients ADD COLUMN times BIGINT NOT NULL DEFAULT 1;
`;

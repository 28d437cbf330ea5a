/** How often the owner wrote to each known recipient. Older rows count once. */
export const SCHEMA_15 = `
ALTER TABLE known_recipients ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
`;

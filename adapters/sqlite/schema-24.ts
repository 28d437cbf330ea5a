/** What owners show besides the password when they sign in. */
export const SCHEMA_24 = `
ALTER TABLE owners ADD COLUMN second_step TEXT;         -- JSON; NULL: nothing
`;

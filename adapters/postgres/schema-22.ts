/** What owners show besides the password when they sign in. */
export const SCHEMA_22 = `
ALTER TABLE countersign.owners ADD COLUMN second_step TEXT;   -- JSON; NULL: nothing
`;

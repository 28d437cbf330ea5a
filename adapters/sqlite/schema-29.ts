/** For which requests the owner proves anew to be the person who approves. */
export const SCHEMA_29 = `
ALTER TABLE owners ADD COLUMN proof_for TEXT NOT NULL DEFAULT 'every_12_hours';
`;

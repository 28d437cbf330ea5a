/** For which requests the owner has to prove again who they are. */
export const SCHEMA_29 = `
ALTER TABLE owners ADD COLUMN proof_for TEXT NOT NULL DEFAULT 'every_12_hours';
`;

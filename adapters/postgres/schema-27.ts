/** For which requests the owner has to prove again who they are. */
export const SCHEMA_27 = `
ALTER TABLE countersign.owners ADD COLUMN proof_for TEXT COLLATE "C" NOT NULL DEFAULT 'every_12_hours';
`;

/** For which requests the owner proves anew to be the person who approves. */
export const SCHEMA_27 = `
ALTER TABLE countersign.owners ADD COLUMN proof_for TEXT COLLATE "C" NOT NULL DEFAULT 'every_12_hours';
`;

/** When the servers of an account are checked next, if nothing else uses them. */
export const SCHEMA_27 = `
ALTER TABLE accounts ADD COLUMN next_check_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX accounts_to_check ON accounts (next_check_ms);
`;

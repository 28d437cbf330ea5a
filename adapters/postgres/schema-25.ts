/** When the servers of an account are checked next, if nothing else uses them. */
export const SCHEMA_25 = `
ALTER TABLE countersign.accounts ADD COLUMN next_check_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX accounts_to_check ON countersign.accounts (next_check_ms);
`;

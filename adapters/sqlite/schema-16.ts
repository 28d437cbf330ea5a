/** The last numbers of removed owners, which a later owner with the same id continues. */
export const SCHEMA_16 = `
CREATE TABLE removed_owners (
  owner_hash       TEXT    NOT NULL PRIMARY KEY,  -- SHA-256 of the owner's id, hex
  last_account_id  INTEGER NOT NULL,
  last_endpoint_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** The last numbers of removed owners, which a later owner with the same id continues. */
export const SCHEMA_14 = `
CREATE TABLE countersign.removed_owners (
  owner_hash       TEXT COLLATE "C" PRIMARY KEY,  -- SHA-256 of the owner's id, hex
  last_account_id  BIGINT NOT NULL,
  last_endpoint_id BIGINT NOT NULL
);
`;

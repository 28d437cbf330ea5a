/**
 * Signatures of the rows of keys. NULL in a row that has not been signed yet: an older version wrote it. NULL in
 * `owners`: none of the owner's rows is signed.
 */
export const SCHEMA_8 = `
ALTER TABLE countersign.owners ADD COLUMN keys_signed_at_ms BIGINT;
ALTER TABLE countersign.owners ADD COLUMN keys_signature TEXT;
ALTER TABLE countersign.credentials ADD COLUMN signature TEXT;
ALTER TABLE countersign.secrets ADD COLUMN signature TEXT;
`;

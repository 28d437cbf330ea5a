/**
 * Signatures of the rows of keys. NULL in a row that has not been signed yet: an older version wrote it. NULL in
 * `owners`: none of the owner's rows is signed.
 */
export const SCHEMA_10 = `
ALTER TABLE owners ADD COLUMN keys_signed_at_ms INTEGER;
ALTER TABLE owners ADD COLUMN keys_signature TEXT;
ALTER TABLE credentials ADD COLUMN signature TEXT;
ALTER TABLE secrets ADD COLUMN signature TEXT;
`;

/** A refresh token that was used keeps what replaced it for a minute. */
export const SCHEMA_35 = `
ALTER TABLE secrets ADD COLUMN sealed_tokens TEXT;  -- NULL: not a used refresh token
`;

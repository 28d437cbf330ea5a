/** The name under which the server of an account writes Authentication-Results. */
export const SCHEMA_31 = `
ALTER TABLE countersign.accounts ADD COLUMN authserv_id TEXT;  -- NULL: the owner has confirmed none
`;

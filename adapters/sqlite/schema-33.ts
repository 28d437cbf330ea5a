/** The name under which the server of an account writes Authentication-Results. */
export const SCHEMA_33 = `
ALTER TABLE accounts ADD COLUMN authserv_id TEXT;  -- NULL: the owner has confirmed none
`;

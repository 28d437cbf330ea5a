/** The sizes of a message that is too large for its server. */
export const SCHEMA_32 = `
ALTER TABLE approvals ADD COLUMN message_bytes INTEGER;
ALTER TABLE approvals ADD COLUMN limit_bytes INTEGER;  -- NULL: the server does not say
`;

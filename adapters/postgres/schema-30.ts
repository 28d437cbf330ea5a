/** The sizes of a message that is too large for its server. */
export const SCHEMA_30 = `
ALTER TABLE countersign.approvals ADD COLUMN message_bytes BIGINT;
ALTER TABLE countersign.approvals ADD COLUMN limit_bytes BIGINT;  -- NULL: the server does not say
`;

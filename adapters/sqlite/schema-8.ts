/** When a request was filed, by the store's clock. Limits count by it, whatever the hosts' clocks show. */
export const SCHEMA_8 = `
ALTER TABLE approvals ADD COLUMN filed_at_ms INTEGER NOT NULL DEFAULT 0;
UPDATE approvals SET filed_at_ms = created_at_ms;
DROP INDEX approvals_asked;
DROP INDEX approvals_direct_sends;
CREATE INDEX approvals_asked ON approvals (owner_id, credential_id, filed_at_ms) WHERE asked = 1;
CREATE INDEX approvals_direct_sends ON approvals (owner_id, credential_id, filed_at_ms)
  WHERE asked = 0 AND sends = 1;
`;

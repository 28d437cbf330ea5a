/** When a request was filed, by the store's clock. Limits count by it, whatever the hosts' clocks show. */
export const SCHEMA_6 = `
ALTER TABLE countersign.approvals ADD COLUMN filed_at_ms BIGINT NOT NULL DEFAULT 0;
UPDATE countersign.approvals SET filed_at_ms = created_at_ms;
DROP INDEX countersign.approvals_asked;
DROP INDEX countersign.approvals_direct_sends;
CREATE INDEX approvals_asked ON countersign.approvals (owner_id, credential_id, filed_at_ms) WHERE asked;
CREATE INDEX approvals_direct_sends ON countersign.approvals (owner_id, credential_id, filed_at_ms)
  WHERE NOT asked AND sends;
`;

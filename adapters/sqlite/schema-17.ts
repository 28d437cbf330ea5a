/** Waiting deliveries by the time from which they can be tried. It excludes those whose attempt is running. */
export const SCHEMA_17 = `
DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_waiting ON deliveries (owner_id, endpoint_id, max(due_ms, lease_until_ms)) WHERE state = 'waiting';
`;

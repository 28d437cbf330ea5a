/** Waiting deliveries by the time from which they can be tried. It excludes those whose attempt is running. */
export const SCHEMA_15 = `
DROP INDEX countersign.deliveries_waiting;
CREATE INDEX deliveries_waiting
ON countersign.deliveries (owner_id, endpoint_id, greatest(due_ms, lease_until_ms)) WHERE state = 'waiting';
`;

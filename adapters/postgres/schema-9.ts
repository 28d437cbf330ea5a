/** Webhook endpoints, and what is delivered to them. */
export const SCHEMA_9 = `
ALTER TABLE countersign.owners ADD COLUMN last_endpoint_id BIGINT NOT NULL DEFAULT 0;

CREATE TABLE countersign.endpoints (
  owner_id TEXT NOT NULL,
  endpoint_id BIGINT NOT NULL,
  credential_id TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,                       -- JSON array
  sealed_secret TEXT NOT NULL,
  sealed_previous TEXT,
  previous_until_ms BIGINT,
  failing_since_ms BIGINT,
  disabled TEXT,
  position BIGINT NOT NULL,                  -- the newest event that was looked at
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, endpoint_id)
);

CREATE TABLE countersign.deliveries (
  owner_id TEXT NOT NULL,
  endpoint_id BIGINT NOT NULL,
  sequence BIGINT NOT NULL,                  -- the event's
  state TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  due_ms BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  lease_until_ms BIGINT NOT NULL,
  log TEXT NOT NULL,                         -- JSON array, an object for each attempt
  PRIMARY KEY (owner_id, endpoint_id, sequence)
);
CREATE INDEX deliveries_waiting ON countersign.deliveries (owner_id, endpoint_id, due_ms) WHERE state = 'waiting';

CREATE INDEX events_by_time ON countersign.events (created_at_ms);
`;

/** Webhook endpoints, and what is delivered to them. */
export const SCHEMA_11 = `
ALTER TABLE owners ADD COLUMN last_endpoint_id INTEGER NOT NULL DEFAULT 0;

CREATE TABLE endpoints (
  owner_id TEXT NOT NULL,
  endpoint_id INTEGER NOT NULL,
  credential_id TEXT NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,                       -- JSON array
  sealed_secret TEXT NOT NULL,
  sealed_previous TEXT,
  previous_until_ms INTEGER,
  failing_since_ms INTEGER,
  disabled TEXT,
  position INTEGER NOT NULL,                 -- the newest event that was looked at
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  owner_id TEXT NOT NULL,
  endpoint_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,                 -- the event's
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_ms INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  log TEXT NOT NULL,                         -- JSON array, an object for each attempt
  PRIMARY KEY (owner_id, endpoint_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_waiting ON deliveries (owner_id, endpoint_id, due_ms) WHERE state = 'waiting';

CREATE INDEX events_by_time ON events (created_at_ms);
`;

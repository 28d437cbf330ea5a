/** The order in which listeners get the events of all owners. */
export const SCHEMA_11 = `
ALTER TABLE countersign.events ADD COLUMN position BIGINT;   -- NULL: no listener has needed it yet
CREATE INDEX events_unnumbered ON countersign.events (type, owner_id, sequence) WHERE position IS NULL;
CREATE UNIQUE INDEX events_by_position ON countersign.events (type, position) WHERE position IS NOT NULL;

CREATE TABLE countersign.event_streams (
  type TEXT PRIMARY KEY,
  stream_id TEXT NOT NULL,
  last_position BIGINT NOT NULL,
  erased_position BIGINT NOT NULL
);
INSERT INTO countersign.event_streams (type, stream_id, last_position, erased_position)
SELECT type, left(md5(gen_random_uuid()::text), 16), 0, 0
FROM (VALUES ('approval.decided'), ('message.received')) AS named (type);
`;

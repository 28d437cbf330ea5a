/** The order in which listeners get the events of all owners. */
export const SCHEMA_13 = `
ALTER TABLE events ADD COLUMN position INTEGER;   -- NULL: no listener has needed it yet
CREATE INDEX events_unnumbered ON events (type, owner_id, sequence) WHERE position IS NULL;
CREATE UNIQUE INDEX events_by_position ON events (type, position) WHERE position IS NOT NULL;

CREATE TABLE event_streams (
  type TEXT NOT NULL PRIMARY KEY,
  stream_id TEXT NOT NULL,
  last_position INTEGER NOT NULL,
  erased_position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO event_streams (type, stream_id, last_position, erased_position)
VALUES ('approval.decided', lower(hex(randomblob(8))), 0, 0),
  ('message.received', lower(hex(randomblob(8))), 0, 0);
`;

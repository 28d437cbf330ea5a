/** Trackers, and the owner's numbers of calendar events. */
export const SCHEMA_2 = `
CREATE TABLE trackers (
  owner_id        TEXT    NOT NULL REFERENCES owners ON DELETE CASCADE,
  tracker_id      INTEGER NOT NULL,
  request_id      TEXT    NOT NULL,
  title           TEXT    NOT NULL,
  keywords        TEXT    NOT NULL,
  due_on          TEXT,
  status          TEXT    NOT NULL,
  added_by_agent  INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  PRIMARY KEY (owner_id, tracker_id),
  UNIQUE (owner_id, request_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_numbers (
  owner_id      TEXT    NOT NULL REFERENCES owners ON DELETE CASCADE,
  event_id      INTEGER NOT NULL,
  account_id    INTEGER NOT NULL,
  calendar      TEXT    NOT NULL,
  uid           TEXT    NOT NULL,
  -- Empty for what is no instance of a series: NULLs would not be unique.
  recurrence_id TEXT    NOT NULL,
  PRIMARY KEY (owner_id, event_id),
  UNIQUE (owner_id, account_id, calendar, uid, recurrence_id)
) STRICT, WITHOUT ROWID;
`;

/**
 * The contents of trackers: links, summaries, and the position of each watched inbox.
 * `trackers_to_summarise`, an index of due work, is not keyed by owner.
 */
export const SCHEMA_3 = `
ALTER TABLE trackers ADD COLUMN resolved_at_ms INTEGER;
ALTER TABLE trackers ADD COLUMN last_auto_link_at_ms INTEGER;
ALTER TABLE trackers ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE trackers ADD COLUMN next_action TEXT NOT NULL DEFAULT '';
ALTER TABLE trackers ADD COLUMN importance TEXT NOT NULL DEFAULT 'normal';
ALTER TABLE trackers ADD COLUMN summary_source_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trackers ADD COLUMN last_message_link_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trackers ADD COLUMN summarised_link_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX trackers_to_summarise ON trackers (owner_id, tracker_id)
  WHERE last_message_link_id > summarised_link_id;
CREATE INDEX trackers_waiting ON trackers (owner_id, tracker_id) WHERE status <> 'resolved' AND keywords <> '';

CREATE TABLE tracker_links (
  owner_id         TEXT    NOT NULL,
  link_id          INTEGER NOT NULL,
  tracker_id       INTEGER NOT NULL,
  target           TEXT    NOT NULL,            -- what a tracker has one link of
  added_by         TEXT    NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  kind             TEXT    NOT NULL,
  note             TEXT,
  event_id         INTEGER,
  subject          TEXT,                        -- of a message, or the title of an event
  start_ms         INTEGER,
  account_id       INTEGER,
  path             TEXT,
  uid_validity     TEXT,
  uid              INTEGER,
  stable_id        TEXT,
  fingerprint      TEXT,
  sender           TEXT,
  dated            TEXT,
  internal_date_ms INTEGER,
  size_bytes       INTEGER,
  excerpt          TEXT,
  PRIMARY KEY (owner_id, link_id),
  UNIQUE (owner_id, tracker_id, target),
  FOREIGN KEY (owner_id, tracker_id) REFERENCES trackers ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX links_of_tracker ON tracker_links (owner_id, tracker_id, link_id);

CREATE TABLE watched_inboxes (
  owner_id      TEXT    NOT NULL,
  account_id    INTEGER NOT NULL,
  uid_validity  TEXT,                           -- NULL: it was empty
  uid           INTEGER NOT NULL,
  PRIMARY KEY (owner_id, account_id),
  FOREIGN KEY (owner_id, account_id) REFERENCES accounts ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`;

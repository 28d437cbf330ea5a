/**
 * The watching of inboxes: who has an inbox, how far each of its readers is, and the messages that a request moved into
 * it. Earlier positions continue as those of the reader for links. Mail from before the upgrade counts as old for them
 * if the server recreates an inbox.
 */
export const SCHEMA_12 = `
CREATE TABLE inbox_leases (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until_ms INTEGER NOT NULL,           -- by the store's clock
  PRIMARY KEY (owner_id, account_id),
  FOREIGN KEY (owner_id, account_id) REFERENCES accounts ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_readers (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  reader TEXT NOT NULL,
  position TEXT,                             -- JSON; NULL: it has ended
  ended_ms INTEGER,
  PRIMARY KEY (owner_id, account_id, reader),
  FOREIGN KEY (owner_id, account_id) REFERENCES accounts ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE moved_into_inbox (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  identity TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, account_id, identity)
) STRICT, WITHOUT ROWID;
CREATE INDEX moved_into_inbox_by_time ON moved_into_inbox (at_ms);

INSERT INTO inbox_readers (owner_id, account_id, reader, position)
SELECT owner_id, account_id, 'links', json_object('validity', uid_validity, 'uid', uid,
  'since', unixepoch(), 'sift', NULL, 'recent', json_array())
FROM watched_inboxes;
DROP TABLE watched_inboxes;
`;

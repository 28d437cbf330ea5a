/**
 * The watching of inboxes: who has an inbox, how far each of its readers is, and the messages that a request moved into
 * it. Earlier positions continue as those of the reader for links. Mail from before the upgrade counts as old for them
 * if the server recreates an inbox.
 */
export const SCHEMA_10 = `
CREATE TABLE countersign.inbox_leases (
  owner_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  lease_until_ms BIGINT NOT NULL,            -- by the store's clock
  PRIMARY KEY (owner_id, account_id),
  FOREIGN KEY (owner_id, account_id) REFERENCES countersign.accounts ON DELETE CASCADE
);

CREATE TABLE countersign.inbox_readers (
  owner_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  reader TEXT NOT NULL,
  position TEXT,                             -- JSON; NULL: it has ended
  ended_ms BIGINT,
  PRIMARY KEY (owner_id, account_id, reader),
  FOREIGN KEY (owner_id, account_id) REFERENCES countersign.accounts ON DELETE CASCADE
);

CREATE TABLE countersign.moved_into_inbox (
  owner_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  identity TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, account_id, identity)
);
CREATE INDEX moved_into_inbox_by_time ON countersign.moved_into_inbox (at_ms);

INSERT INTO countersign.inbox_readers (owner_id, account_id, reader, position)
SELECT owner_id, account_id, 'links', json_build_object('validity', uid_validity, 'uid', uid,
  'since', floor(extract(epoch FROM clock_timestamp()))::bigint, 'sift', NULL, 'recent', '[]'::json)::text
FROM countersign.watched_inboxes;
DROP TABLE countersign.watched_inboxes;
`;

/**
 * Every row carries `owner_id` first in its key, and every query filters by it, so that the schema shards by
 * owner. The exceptions are the directory (`owners.email_folded`, `secrets`, `sessions`: look-ups before the
 * owner is known) and the indexes of due work (`approvals_lapsing`, `approvals_expiring`,
 * `approvals_erasable`, `follow_ups_due`, `claims_by_age`, `activity_by_age`).
 *
 * Everything is in a separate schema, so that it can share a database with the program that embeds it. Texts
 * that are keys compare by their bytes, whatever the language of the database.
 */
export const SCHEMA_1 = `
DO $$ BEGIN
  IF to_regnamespace('countersign') IS NULL THEN CREATE SCHEMA countersign; END IF;
END $$;

CREATE TABLE countersign.schema_version (version INTEGER NOT NULL);
INSERT INTO countersign.schema_version VALUES (0);

CREATE TABLE countersign.owners (
  owner_id TEXT COLLATE "C" PRIMARY KEY,
  email TEXT NOT NULL,
  email_folded TEXT COLLATE "C" NOT NULL UNIQUE,
  timezone TEXT NOT NULL,
  plan TEXT NOT NULL,
  limits TEXT NOT NULL,  -- JSON object: single limits that the operator set
  password_hash TEXT,
  active_account_id BIGINT,
  last_account_id BIGINT NOT NULL DEFAULT 0,  -- an id that was given once is never given again
  last_event_sequence BIGINT NOT NULL DEFAULT 0,
  created_at_ms BIGINT NOT NULL
);

CREATE TABLE countersign.sessions (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  expires_at_ms BIGINT NOT NULL
);
CREATE INDEX sessions_of_owner ON countersign.sessions (owner_id);

CREATE TABLE countersign.accounts (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  account_id BIGINT NOT NULL,
  label TEXT NOT NULL,
  email TEXT NOT NULL,
  signature TEXT NOT NULL,
  sealed_settings TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, account_id)
);

CREATE TABLE countersign.known_recipients (
  owner_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  address TEXT NOT NULL,
  since_ms BIGINT NOT NULL
);
-- No index takes a value of any length, and addresses come from anywhere.
CREATE UNIQUE INDEX known_recipients_by_hash ON countersign.known_recipients (owner_id, account_id, md5(address));

CREATE TABLE countersign.credentials (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  credential_id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  modes TEXT NOT NULL,  -- JSON object: group to mode
  revision BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,  -- of the newest secret
  overlap_until_ms BIGINT,  -- the last end of the secrets before it
  revoked_at_ms BIGINT,
  PRIMARY KEY (owner_id, credential_id)
);

CREATE TABLE countersign.secrets (
  secret_hash TEXT COLLATE "C" PRIMARY KEY,
  owner_id TEXT COLLATE "C" NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  FOREIGN KEY (owner_id, credential_id) REFERENCES countersign.credentials
);
CREATE INDEX secrets_of_credential ON countersign.secrets (owner_id, credential_id);

CREATE TABLE countersign.usage (
  owner_id TEXT COLLATE "C" NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,  -- '': of all the owner's credentials together
  slot_id TEXT COLLATE "C" NOT NULL,  -- a slot that is taken; '': a count of calls
  time_ms BIGINT NOT NULL,  -- of a slot: the end of its lease; of a count: where its window begins
  count BIGINT NOT NULL,
  PRIMARY KEY (owner_id, credential_id, slot_id)
);

CREATE TABLE countersign.claims (
  owner_id TEXT COLLATE "C" NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  fence BIGINT NOT NULL,  -- only ever rises, therefore a released claim keeps its row
  request_id TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  released BOOLEAN NOT NULL DEFAULT false,  -- the key is free, for any request
  lease_until_ms BIGINT NOT NULL,
  sealed_outcome TEXT,
  approval_id TEXT COLLATE "C",
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, credential_id, key)
);
CREATE INDEX claims_by_age ON countersign.claims (created_at_ms);

CREATE TABLE countersign.approvals (
  owner_id TEXT COLLATE "C" NOT NULL,
  approval_id TEXT COLLATE "C" NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT,
  tool TEXT NOT NULL,
  permission_group TEXT NOT NULL,
  action TEXT,
  state TEXT COLLATE "C" NOT NULL,
  reasons TEXT NOT NULL,  -- JSON array of strings
  approved_by TEXT,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  decided_at_ms BIGINT,
  approved_at_ms BIGINT,
  started_at_ms BIGINT,
  executed_at_ms BIGINT,
  ended_at_ms BIGINT,
  fence BIGINT NOT NULL,
  lease_until_ms BIGINT NOT NULL,
  digest TEXT NOT NULL,
  result TEXT,  -- JSON object
  error TEXT,
  request_hash TEXT COLLATE "C" NOT NULL,
  asked BOOLEAN NOT NULL,  -- filed as pending
  sends BOOLEAN NOT NULL,
  has_plan BOOLEAN NOT NULL DEFAULT true,  -- false: it is erased
  PRIMARY KEY (owner_id, approval_id),
  FOREIGN KEY (owner_id, credential_id) REFERENCES countersign.credentials
);
CREATE INDEX approvals_of_owner ON countersign.approvals (owner_id, created_at_ms, approval_id);
CREATE INDEX approvals_of_credential ON countersign.approvals (owner_id, credential_id, created_at_ms, approval_id);
CREATE INDEX approvals_open ON countersign.approvals (owner_id, created_at_ms, approval_id) WHERE ended_at_ms IS NULL;
CREATE INDEX approvals_same ON countersign.approvals (owner_id, request_hash, state, ended_at_ms);
CREATE INDEX approvals_asked ON countersign.approvals (owner_id, credential_id, created_at_ms) WHERE asked;
CREATE INDEX approvals_direct_sends ON countersign.approvals (owner_id, credential_id, created_at_ms)
  WHERE NOT asked AND sends;
CREATE INDEX approvals_expiring ON countersign.approvals (expires_at_ms) WHERE state = 'pending';
CREATE INDEX approvals_erasable ON countersign.approvals (ended_at_ms) WHERE has_plan;
CREATE INDEX approvals_lapsing ON countersign.approvals (lease_until_ms) WHERE state = 'approved';

CREATE TABLE countersign.plans (
  owner_id TEXT COLLATE "C" NOT NULL,
  approval_id TEXT COLLATE "C" NOT NULL,
  sealed_plan TEXT NOT NULL,
  PRIMARY KEY (owner_id, approval_id),
  FOREIGN KEY (owner_id, approval_id) REFERENCES countersign.approvals
);

-- Targets of pending approvals only: a row goes when its approval is no longer pending.
CREATE TABLE countersign.waiting_targets (
  owner_id TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  approval_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, target, approval_id)
);
CREATE INDEX waiting_targets_of_approval ON countersign.waiting_targets (owner_id, approval_id);

CREATE TABLE countersign.follow_ups (
  owner_id TEXT COLLATE "C" NOT NULL,
  approval_id TEXT COLLATE "C" NOT NULL,
  due_at_ms BIGINT NOT NULL,  -- on the store's clock: the end of a lease or of a wait
  PRIMARY KEY (owner_id, approval_id)
);
CREATE INDEX follow_ups_due ON countersign.follow_ups (due_at_ms);

CREATE TABLE countersign.events (
  owner_id TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  data TEXT NOT NULL,  -- JSON object
  PRIMARY KEY (owner_id, sequence)
);

CREATE TABLE countersign.activity (
  owner_id TEXT COLLATE "C" NOT NULL,
  activity_id BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  kind TEXT NOT NULL,
  credential_id TEXT COLLATE "C",
  tool TEXT,
  outcome TEXT NOT NULL,
  approval_id TEXT COLLATE "C",
  duration_ms BIGINT NOT NULL,
  shown TEXT NOT NULL,  -- JSON array of strings
  listed TEXT NOT NULL,  -- JSON array of strings
  PRIMARY KEY (owner_id, activity_id)
);
-- Rows are written in the order of their time: a summary of each stretch of the table finds the old ones.
CREATE INDEX activity_by_age ON countersign.activity USING brin (at_ms);

-- Trackers, what they gather, the owner's numbers of calendar events, and where the watching of an inbox stands.
CREATE TABLE countersign.trackers (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners ON DELETE CASCADE,
  tracker_id BIGINT NOT NULL,
  request_id TEXT COLLATE "C" NOT NULL,
  title TEXT NOT NULL,
  keywords TEXT NOT NULL,
  due_on TEXT,
  status TEXT NOT NULL,
  added_by_agent BOOLEAN NOT NULL,
  created_at_ms BIGINT NOT NULL,
  resolved_at_ms BIGINT,
  last_auto_link_at_ms BIGINT,
  summary TEXT NOT NULL DEFAULT '',
  next_action TEXT NOT NULL DEFAULT '',
  importance TEXT NOT NULL DEFAULT 'normal',
  summary_source_count BIGINT NOT NULL DEFAULT 0,
  last_message_link_id BIGINT NOT NULL DEFAULT 0,
  summarised_link_id BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, tracker_id),
  UNIQUE (owner_id, request_id)
);

CREATE TABLE countersign.event_numbers (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners ON DELETE CASCADE,
  event_id BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  calendar TEXT NOT NULL,
  uid TEXT NOT NULL,
  recurrence_id TEXT,  -- NULL: it is no instance of a series
  key_hash TEXT COLLATE "C" NOT NULL,  -- of the three; no index takes a value of any length
  PRIMARY KEY (owner_id, event_id),
  UNIQUE (owner_id, account_id, key_hash)
);

CREATE INDEX trackers_to_summarise ON countersign.trackers (owner_id, tracker_id)
  WHERE last_message_link_id > summarised_link_id;
CREATE INDEX trackers_waiting ON countersign.trackers (owner_id, tracker_id)
  WHERE status <> 'resolved' AND keywords <> '';

CREATE TABLE countersign.tracker_links (
  owner_id TEXT COLLATE "C" NOT NULL,
  link_id BIGINT NOT NULL,
  tracker_id BIGINT NOT NULL,
  target TEXT COLLATE "C" NOT NULL,  -- what a tracker has one link of
  added_by TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  kind TEXT NOT NULL,
  note TEXT,
  event_id BIGINT,
  subject TEXT,  -- of a message, or the title of an event
  start_ms BIGINT,
  account_id BIGINT,
  path TEXT,
  uid_validity TEXT,
  uid BIGINT,
  stable_id TEXT,
  fingerprint TEXT,
  sender TEXT,
  dated TEXT,
  internal_date_ms BIGINT,
  size_bytes BIGINT,
  excerpt TEXT,
  PRIMARY KEY (owner_id, link_id),
  UNIQUE (owner_id, tracker_id, target),
  FOREIGN KEY (owner_id, tracker_id) REFERENCES countersign.trackers ON DELETE CASCADE
);
CREATE INDEX links_of_tracker ON countersign.tracker_links (owner_id, tracker_id, link_id);

CREATE TABLE countersign.watched_inboxes (
  owner_id TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  uid_validity TEXT,  -- NULL: it was empty
  uid BIGINT NOT NULL,
  PRIMARY KEY (owner_id, account_id),
  FOREIGN KEY (owner_id, account_id) REFERENCES countersign.accounts ON DELETE CASCADE
);
`;

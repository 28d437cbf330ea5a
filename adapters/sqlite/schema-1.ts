/**
 * Every row carries `owner_id` first in its key, and every query filters by it, so that the schema shards by
 * owner. The exceptions are the directory (`owners.email_folded`, `secrets`, `sessions`: look-ups before the
 * owner is known) and the indexes of due work (`approvals_lapsing`, `approvals_expiring`,
 * `approvals_erasable`, `follow_ups_due`, `claims_by_age`).
 */
export const SCHEMA_1 = `
CREATE TABLE owners (
  owner_id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  email_folded TEXT NOT NULL UNIQUE,
  timezone TEXT NOT NULL,
  plan TEXT NOT NULL,
  limits TEXT NOT NULL,                      -- JSON object: single limits that the operator set
  password_hash TEXT,
  active_account_id INTEGER,
  last_account_id INTEGER NOT NULL DEFAULT 0,   -- an id that was given once is never given again
  last_event_sequence INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_owner ON sessions (owner_id);

CREATE TABLE accounts (
  owner_id TEXT NOT NULL REFERENCES owners,
  account_id INTEGER NOT NULL,
  label TEXT NOT NULL,
  email TEXT NOT NULL,
  signature TEXT NOT NULL,
  sealed_settings TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE known_recipients (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, account_id, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
  owner_id TEXT NOT NULL REFERENCES owners,
  credential_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  modes TEXT NOT NULL,                       -- JSON object: group to mode
  revision INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,            -- of the newest secret
  overlap_until_ms INTEGER,                  -- the last end of the secrets before it
  revoked_at_ms INTEGER,
  PRIMARY KEY (owner_id, credential_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  secret_hash TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  FOREIGN KEY (owner_id, credential_id) REFERENCES credentials
) STRICT, WITHOUT ROWID;
CREATE INDEX secrets_of_credential ON secrets (owner_id, credential_id);

-- What an owner has used lies side by side, so that a call that is admitted writes one page of the file.
CREATE TABLE usage (
  owner_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,               -- '': of all the owner's credentials together
  slot_id TEXT NOT NULL,                     -- a slot that is taken; '': a count of calls
  time_ms INTEGER NOT NULL,                  -- of a slot: the end of its lease; of a count: where its window begins
  count INTEGER NOT NULL,
  PRIMARY KEY (owner_id, credential_id, slot_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE claims (
  owner_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fence INTEGER NOT NULL,                    -- only ever rises, therefore a released claim keeps its row
  request_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  released INTEGER NOT NULL DEFAULT 0,       -- 1: the key is free, for any request
  lease_until_ms INTEGER NOT NULL,
  sealed_outcome TEXT,
  approval_id TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, credential_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_age ON claims (created_at_ms);

CREATE TABLE approvals (
  owner_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  account_id INTEGER,
  tool TEXT NOT NULL,
  permission_group TEXT NOT NULL,
  action TEXT,
  state TEXT NOT NULL,
  reasons TEXT NOT NULL,                     -- JSON array of strings
  approved_by TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  decided_at_ms INTEGER,
  approved_at_ms INTEGER,
  started_at_ms INTEGER,
  executed_at_ms INTEGER,
  ended_at_ms INTEGER,
  fence INTEGER NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  digest TEXT NOT NULL,
  result TEXT,                               -- JSON object
  error TEXT,
  request_hash TEXT NOT NULL,
  asked INTEGER NOT NULL,                    -- 1: filed as pending
  sends INTEGER NOT NULL,
  has_plan INTEGER NOT NULL DEFAULT 1,       -- 0: erased
  PRIMARY KEY (owner_id, approval_id),
  FOREIGN KEY (owner_id, credential_id) REFERENCES credentials
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_of_owner ON approvals (owner_id, created_at_ms, approval_id);
CREATE INDEX approvals_of_credential ON approvals (owner_id, credential_id, created_at_ms, approval_id);
CREATE INDEX approvals_open ON approvals (owner_id, created_at_ms, approval_id) WHERE ended_at_ms IS NULL;
CREATE INDEX approvals_same ON approvals (owner_id, request_hash, state, ended_at_ms);
CREATE INDEX approvals_asked ON approvals (owner_id, credential_id, created_at_ms) WHERE asked = 1;
CREATE INDEX approvals_direct_sends ON approvals (owner_id, credential_id, created_at_ms)
  WHERE asked = 0 AND sends = 1;
CREATE INDEX approvals_expiring ON approvals (expires_at_ms) WHERE state = 'pending';
CREATE INDEX approvals_erasable ON approvals (ended_at_ms) WHERE has_plan = 1;
CREATE INDEX approvals_lapsing ON approvals (lease_until_ms) WHERE state = 'approved';

CREATE TABLE plans (
  owner_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  sealed_plan TEXT NOT NULL,
  PRIMARY KEY (owner_id, approval_id),
  FOREIGN KEY (owner_id, approval_id) REFERENCES approvals
) STRICT, WITHOUT ROWID;

-- Targets of pending approvals only: a row goes when its approval is no longer pending.
CREATE TABLE waiting_targets (
  owner_id TEXT NOT NULL,
  target TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, target, approval_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_targets_of_approval ON waiting_targets (owner_id, approval_id);

CREATE TABLE follow_ups (
  owner_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,                -- on the store's clock: the end of a lease or of a wait
  PRIMARY KEY (owner_id, approval_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX follow_ups_due ON follow_ups (due_at_ms);

CREATE TABLE events (
  owner_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  data TEXT NOT NULL,                        -- JSON object
  PRIMARY KEY (owner_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
  owner_id TEXT NOT NULL,
  activity_id INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  credential_id TEXT,
  tool TEXT,
  outcome TEXT NOT NULL,
  approval_id TEXT,
  duration_ms INTEGER NOT NULL,
  shown TEXT NOT NULL,                       -- JSON array of strings
  listed TEXT NOT NULL,                      -- JSON array of strings
  PRIMARY KEY (owner_id, activity_id)
) STRICT, WITHOUT ROWID;
`;

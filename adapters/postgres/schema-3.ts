/**
 * Tries at passwords. `password_tries` is not keyed by owner, because it also counts for emails without one.
 * Its row numbers come from a fixed range, and forgotten rows are erased.
 */
export const SCHEMA_3 = `
CREATE TABLE countersign.password_tries (
  row_number INTEGER PRIMARY KEY,
  failures BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  forgotten_ms BIGINT NOT NULL
);
CREATE INDEX password_tries_forgotten ON countersign.password_tries (forgotten_ms);

CREATE TABLE countersign.devices (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  device_hash TEXT COLLATE "C" NOT NULL,
  last_sign_in_ms BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, device_hash)
);
`;

/** What calls showed, for a day: keyed hashes, and the sealed names of the sources. */
export const SCHEMA_19 = `
CREATE TABLE countersign.reads (
  owner_id      TEXT COLLATE "C" NOT NULL,
  read_id       TEXT COLLATE "C" NOT NULL,  -- the same for the same credential and content
  at_ms         BIGINT NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL,
  hashes        TEXT COLLATE "C" NOT NULL,  -- of addresses, hosts, account numbers and amounts, base64
  phrases       TEXT COLLATE "C" NOT NULL,  -- of ten words in a row, base64
  sealed        TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, read_id)
);
CREATE INDEX reads_of_owner ON countersign.reads (owner_id, at_ms);
CREATE INDEX reads_by_age ON countersign.reads (at_ms);
`;

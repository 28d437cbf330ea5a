/** The roles of an account's folders, and the messages that requests moved, copied or labelled. */
export const SCHEMA_2 = `
ALTER TABLE countersign.accounts ADD COLUMN folder_roles TEXT;  -- JSON; NULL: not decided yet

-- Kept when an account is removed: the mailbox may be connected again.
CREATE TABLE countersign.relocated_messages (
  owner_id TEXT COLLATE "C" NOT NULL REFERENCES countersign.owners,
  mark TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, mark)
);
`;

/** The roles of an account's folders, and the messages that requests moved, copied or labelled. */
export const SCHEMA_4 = `
ALTER TABLE accounts ADD COLUMN folder_roles TEXT;  -- JSON; NULL: not decided yet

-- Kept when an account is removed: the mailbox may be connected again.
CREATE TABLE relocated_messages (
  owner_id TEXT NOT NULL REFERENCES owners ON DELETE CASCADE,
  mark     TEXT NOT NULL,
  PRIMARY KEY (owner_id, mark)
) STRICT, WITHOUT ROWID;
`;

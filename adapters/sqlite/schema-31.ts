/** The same event in several documents of a calendar: each has its own number. */
export const SCHEMA_31 = `
CREATE TABLE event_numbers_31 (
  owner_id      TEXT    NOT NULL REFERENCES owners ON DELETE CASCADE,
  event_id      INTEGER NOT NULL,
  account_id    INTEGER NOT NULL,
  calendar      TEXT    NOT NULL,
  uid           TEXT    NOT NULL,
  -- Empty for what is no instance of a series: NULLs would not be unique.
  recurrence_id TEXT    NOT NULL,
  -- Empty where the other parts identify the event.
  document_name TEXT    NOT NULL,
  PRIMARY KEY (owner_id, event_id),
  UNIQUE (owner_id, account_id, calendar, uid, recurrence_id, document_name)
) STRICT, WITHOUT ROWID;
INSERT INTO event_numbers_31
  SELECT owner_id, event_id, account_id, calendar, uid, recurrence_id, '' FROM event_numbers;
DROP TABLE event_numbers;
ALTER TABLE event_numbers_31 RENAME TO event_numbers;
`;

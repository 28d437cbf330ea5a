/** The same event in several documents of a calendar: each has its own number. */
export const SCHEMA_29 = `
-- Empty where the other parts identify the event. It is a part of key_hash where it is not.
ALTER TABLE countersign.event_numbers ADD COLUMN document_name TEXT NOT NULL DEFAULT '';
`;

/**
 * One index of the activity instead of three: it contains all that the owner's page filters by, and rows come in its
 * order. When each key was last used stands beside its counts. Every id of an owner is compared by its bytes.
 */
export const SCHEMA_26 = `
ALTER TABLE countersign.usage ADD COLUMN last_call_ms BIGINT;   -- of a count of one key; NULL: not known
UPDATE countersign.usage u SET last_call_ms = (
  SELECT at_ms FROM countersign.activity a
  WHERE a.owner_id = u.owner_id AND a.credential_id = u.credential_id AND a.kind = 'call'
  ORDER BY at_ms DESC, activity_id DESC LIMIT 1)
WHERE credential_id <> '' AND slot_id = '';
DROP INDEX countersign.activity_of_key;
DROP INDEX countersign.activity_of_tool;
DROP INDEX countersign.activity_by_time;
CREATE INDEX activity_by_time ON countersign.activity (owner_id, at_ms, activity_id) INCLUDE (credential_id, tool);
-- Rows are erased by their numbers, and checkpoints with the rows that they cover.
DROP INDEX countersign.activity_by_age;
DROP INDEX countersign.checkpoints_by_age;

ALTER TABLE countersign.checkpoints ALTER COLUMN owner_id TYPE TEXT COLLATE "C";
ALTER TABLE countersign.endpoints ALTER COLUMN owner_id TYPE TEXT COLLATE "C",
  ALTER COLUMN credential_id TYPE TEXT COLLATE "C";
ALTER TABLE countersign.deliveries ALTER COLUMN owner_id TYPE TEXT COLLATE "C";

CREATE INDEX trackers_by_state ON countersign.trackers (owner_id, (status = 'resolved'), tracker_id);
CREATE INDEX links_of_messages ON countersign.tracker_links (owner_id, tracker_id, link_id) WHERE kind = 'mail';
`;

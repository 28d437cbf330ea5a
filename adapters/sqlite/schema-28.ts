/**
 * One index of the activity instead of three: it contains all that the owner's page filters by, and rows come in its
 * order. When each key was last used stands beside its counts. Indexes for the lists of trackers and their messages.
 */
export const SCHEMA_28 = `
ALTER TABLE usage ADD COLUMN last_call_ms INTEGER;   -- of a count of one key; NULL: not known
UPDATE usage SET last_call_ms = (
  SELECT at_ms FROM activity a INDEXED BY activity_of_key
  WHERE a.owner_id = usage.owner_id AND a.credential_id = usage.credential_id AND a.kind = 'call'
  ORDER BY at_ms DESC, activity_id DESC LIMIT 1)
WHERE credential_id <> '' AND slot_id = '';
DROP INDEX activity_of_key;
DROP INDEX activity_of_tool;
DROP INDEX activity_by_time;
CREATE INDEX activity_by_time ON activity (owner_id, at_ms, activity_id, credential_id, tool);
-- Checkpoints are erased with the rows that they cover.
DROP INDEX checkpoints_by_age;

CREATE INDEX trackers_by_state ON trackers (owner_id, (status = 'resolved'), tracker_id);
CREATE INDEX links_of_messages ON tracker_links (owner_id, tracker_id, link_id) WHERE kind = 'mail';
`;

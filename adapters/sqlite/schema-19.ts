/** Activity by key, by tool and by day: the owner's page of it looks up one page, however many rows there are. */
export const SCHEMA_19 = `
CREATE INDEX activity_by_time ON activity (owner_id, at_ms, activity_id);
CREATE INDEX activity_of_key ON activity (owner_id, credential_id, at_ms, activity_id);
CREATE INDEX activity_of_tool ON activity (owner_id, tool, at_ms, activity_id);
`;

/**
 * The gist of a request, for the list of the owner. NULL: it was filed before this was kept. The table is written anew
 * because SQLite reads a row from its start: behind a plan of a megabyte, a gist would cost as much as the plan.
 */
export const SCHEMA_9 = `
CREATE TABLE plans_with_gists (
  owner_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  sealed_gist TEXT,
  sealed_plan TEXT NOT NULL,
  PRIMARY KEY (owner_id, approval_id),
  FOREIGN KEY (owner_id, approval_id) REFERENCES approvals
) STRICT, WITHOUT ROWID;
INSERT INTO plans_with_gists (owner_id, approval_id, sealed_plan)
  SELECT owner_id, approval_id, sealed_plan FROM plans;
DROP TABLE plans;
ALTER TABLE plans_with_gists RENAME TO plans;
`;

/** The gist of a request, for the list of the owner. NULL: it was filed before this was kept. */
export const SCHEMA_7 = 'ALTER TABLE countersign.plans ADD COLUMN sealed_gist TEXT';

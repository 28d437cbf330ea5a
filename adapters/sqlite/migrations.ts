import type { Database } from 'better-sqlite3';
import type { DriverRow } from '../../core/state/query.ts';
import { SQLITE } from '../sql/dialect.ts';
import { BASELINE, createSchema, unreadableVersion } from '../sql/schema.ts';

/** SQL, or a function for what SQL cannot compute. */
export type Migration = string | ((db: Database) => void);

/** Migration n upgrades a file from version `BASELINE` + n - 1 to the next. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [];

/** The newest version of a file that this program knows. */
export const NEWEST = BASELINE + MIGRATIONS.length;

/** What the header of a file says whose it is: "CSgn". */
const APPLICATION_ID = 0x4353676e;

/**
 * Creates the tables in an empty file, or upgrades it to this program's version, in one transaction, so that two processes
 * that start at once do it only once.
 * @throws Error if this program cannot read the file; the file stays as it is
 */
export function migrate(db: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = BASELINE + migrations.length;
  db.transaction(() => {
    // Another process may have done it meanwhile.
    const version = readableVersion(db, newest);
    if (version === 0) {
      for (const statement of createSchema(SQLITE)) db.exec(statement);
      db.pragma(`application_id = ${APPLICATION_ID}`);
    }
    for (const one of migrations.slice(Math.max(0, version - BASELINE))) {
      if (typeof one === 'string') db.exec(one);
      else one(db);
    }
    db.pragma(`user_version = ${newest}`);
  }).immediate();
}

/**
 * Returns the version of a file's schema. 0: the file is empty.
 * @param newest  the newest version that this program knows
 * @throws Error if this program cannot read the file
 */
export function readableVersion(db: Database, newest: number = NEWEST): number {
  const tables = db.prepare<[], DriverRow>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length === 0) return 0;
  const version = Number(db.pragma('user_version', { simple: true }));
  const applicationId = db.pragma('application_id', { simple: true });
  // Versions before the baseline wrote none.
  const isEarlier = applicationId === 0 && version > 0 && tables.some(({ name }) => name === 'owners');
  if (applicationId !== APPLICATION_ID && !isEarlier) throw new Error('it is not a database of Countersign.');
  const fault = unreadableVersion(version, newest);
  if (fault !== undefined) throw new Error(fault);
  return version;
}

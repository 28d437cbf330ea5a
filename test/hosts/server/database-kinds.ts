import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { BASELINE } from '../../../adapters/sql/schema.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { missingPrograms } from '../../servers/missing-servers.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';

/** One of the two kinds of database that the commands take. */
export interface DatabaseKind {
  readonly name: string;
  readonly missing: string[];
  /** @returns the URL of a database that does not exist yet, nor does its folder, or that is empty */
  createUrl(): Promise<string>;
  open(url: string): Storage;
  /** Writes the version of another program into a database, as that program would. */
  setVersion(url: string, version: number): Promise<void>;
}

/** The path in the URL of an SQLite database. */
export function fileOf(url: string): string {
  return url.slice('file:'.length);
}

/**
 * Both kinds. Postgres starts with its first database; `stop` stops it.
 * @param folder  the folder for files, once the tests run
 */
export function databaseKinds(folder: () => string) {
  let files = 0;
  let postgres: Postgres | undefined;
  const sqliteKind: DatabaseKind = {
    name: 'SQLite',
    missing: [],
    async createUrl() {
      files += 1;
      return `file:${join(folder(), `${files}`, 'it.db')}`;
    },
    open: (url) => sqliteStorage({ file: fileOf(url) }),
    async setVersion(url, version) {
      const db = new SqliteDatabase(fileOf(url));
      db.pragma(`user_version = ${version}`);
      if (version < BASELINE) db.pragma('application_id = 0');
      db.close();
    },
  };
  const postgresKind: DatabaseKind = {
    name: 'Postgres',
    missing: [...missingPostgres(), ...missingPrograms(['/usr/bin/pg_dump', '/usr/bin/psql'])],
    async createUrl() {
      postgres ??= await startPostgres();
      return postgres.createDatabase();
    },
    open: (url) => postgresStorage({ connectionString: url }),
    async setVersion(url, version) {
      await asked(url, `UPDATE countersign.schema_version SET version = ${version}`);
    },
  };
  return { sqliteKind, postgresKind, stop: async () => postgres?.stop() };
}

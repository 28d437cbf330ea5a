import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { openDatabase, prepareDatabase } from '../adapters/sqlite/database.ts';
import { sqliteDriver } from '../adapters/sqlite/driver.ts';
import { sqliteStore } from '../adapters/sqlite/store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createStorage } from '../core/service/create-storage.ts';

/**
 * Opens SQLite with the test's clock as its own, so that limits and leases follow a clock that tests can
 * move.
 */
export function sqliteOnClock(file: string, nowMs: () => number): Storage {
  const db = file === ':memory:' ? newDatabase() : openDatabase(file);
  return createStorage(sqliteStore(db, nowMs), randomBytes);
}

let empty: Buffer | undefined;

/** A new database in memory. All migrations take fifty times as long as a copy of their result. */
function newDatabase(): Database {
  const SqliteDatabase = sqliteDriver();
  const db = new SqliteDatabase(emptyDatabase());
  prepareDatabase(db);
  return db;
}

/** The bytes of a database of the newest version without rows. */
export function emptyDatabase(): Buffer {
  if (empty === undefined) {
    const db = openDatabase(':memory:');
    empty = db.serialize();
    db.close();
  }
  return empty;
}

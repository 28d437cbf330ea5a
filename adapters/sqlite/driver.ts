import type SqliteDatabase from 'better-sqlite3';
import { driverFile, loadDriver } from '../driver/load-driver.ts';

const PACKAGE = 'better-sqlite3';
const NODE_MAJOR = Number.parseInt(process.versions.node, 10);

/** @throws Error that says what to install */
export function sqliteDriver(): typeof SqliteDatabase {
  // The types belong to the versions that were checked.
  return loadDriver('sqliteStorage', PACKAGE, NODE_MAJOR < 22 ? [12] : [12, 13]) as typeof SqliteDatabase;
}

/** Where another thread loads it from. */
export function sqliteDriverFile(): string {
  return driverFile(PACKAGE);
}

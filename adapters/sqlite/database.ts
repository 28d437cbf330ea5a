import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { sqliteDriver } from './driver.ts';
import { isBusy, LOCK_WAIT_MS, LOCKED } from './lock-line.ts';
import { migrate, NEWEST, readableVersion } from './migrations.ts';
import { createPrivateFile } from './private-folder.ts';

/** How long SQLite blocks the thread for a lock. A verb that needs longer waits in a line. */
const BLOCKS_FOR_MS = 2;

/**
 * Opens the file. Creates it and its folder if missing, readable only by their owner. SQLite gives the files
 * beside it (`-wal`, `-shm`) the mode of the file. Creating and upgrading a database block the thread while another program
 * holds its lock, each for at most `LOCK_WAIT_MS`.
 * @throws Error that names the file, with the cause; Error that says what to install if better-sqlite3 is missing
 */
export function openDatabase(file: string): Database {
  const SqliteDatabase = sqliteDriver();
  let db: Database | undefined;
  try {
    if (file !== ':memory:') createPrivateFile(file);
    db = new SqliteDatabase(file, { timeout: LOCK_WAIT_MS });
    prepareDatabase(db);
    db.pragma(`busy_timeout = ${BLOCKS_FOR_MS}`);
    return db;
  } catch (cause) {
    db?.close();
    const reason = isBusy(cause) && !hasLocks(file) ? NO_LOCKS : reasonOf(cause);
    throw new Error(`The database ${file} cannot be opened: ${reason}`, { cause });
  }
}

/** Sets how this connection works, and upgrades what it is connected to. A file that it cannot read stays as it is. */
export function prepareDatabase(db: Database): void {
  const version = readableVersion(db);
  const isLogged = db.pragma('journal_mode = WAL', { simple: true }) === 'wal';
  // The log is flushed for those who need it. Some file systems have none: there, each commit waits for the disk.
  db.pragma(`synchronous = ${isLogged ? 'NORMAL' : 'FULL'}`);
  db.pragma('foreign_keys = ON');
  // Overwrites deleted rows, so that they cannot be recovered from the file.
  db.pragma('secure_delete = ON');
  // A file of this version needs no lock.
  if (version !== NEWEST) migrate(db);
}

const NO_LOCKS =
  'its file system has no locks, as some network drives have none. Keep the database on a disk of this machine, or use ' +
  'Postgres.';

/** Whether a new file beside the database, which no other program knows, can be locked. */
function hasLocks(file: string): boolean {
  const tried = `${file}.${randomUUID()}`;
  const SqliteDatabase = sqliteDriver();
  let db: Database | undefined;
  try {
    createPrivateFile(tried);
    db = new SqliteDatabase(tried, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return true;
  } catch (cause) {
    return !isBusy(cause);
  } finally {
    db?.close();
    rmSync(tried, { force: true });
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (isBusy(cause)) return LOCKED;
  const hasNoBinary = cause.message.includes('bindings file') || isLoadError(cause);
  return hasNoBinary
    ? `better-sqlite3 has no binary for Node ${process.versions.node} on this machine. Run: npm rebuild better-sqlite3`
    : cause.message;
}

/** Its binary is missing, or belongs to another Node. */
function isLoadError(cause: Error): boolean {
  return 'code' in cause && (cause.code === 'MODULE_NOT_FOUND' || cause.code === 'ERR_DLOPEN_FAILED');
}

/**
 * Returns the store's clock, which decides leases: this machine's. SQLite's own clock would return the same
 * for every process that opens the file; this one needs no statement. Read it inside the transaction, which
 * may have waited for another.
 */
export function storeNowMs(): number {
  return Date.now();
}

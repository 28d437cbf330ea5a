import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/contract/errors.ts';
import { sqliteDriver } from './driver.ts';
import { migrate } from './migrations.ts';

/** How long a transaction waits for another process's. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the file. Creates it and its folder if missing, readable only by their owner. SQLite gives the files
 * beside it (`-wal`, `-shm`) the mode of the file.
 * @throws Error that names the file, with the cause; Error that says what to install if better-sqlite3 is missing
 */
export function openDatabase(file: string): Database {
  const SqliteDatabase = sqliteDriver();
  let db: Database | undefined;
  try {
    if (file !== ':memory:') createFile(file);
    db = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    prepareDatabase(db);
    return db;
  } catch (cause) {
    db?.close();
    throw new Error(`The database ${file} cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

/** Sets how this connection works, and upgrades what it is connected to. */
export function prepareDatabase(db: Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  // Overwrites deleted rows, so that they cannot be recovered from the file.
  db.pragma('secure_delete = ON');
  migrate(db);
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const hasNoBinary = cause.message.includes('bindings file') || isLoadError(cause);
  return hasNoBinary
    ? `better-sqlite3 has no binary for Node ${process.versions.node} on this machine. Run: npm rebuild better-sqlite3`
    : cause.message;
}

/** Its binary is missing, or belongs to another Node. */
function isLoadError(cause: Error): boolean {
  return 'code' in cause && (cause.code === 'MODULE_NOT_FOUND' || cause.code === 'ERR_DLOPEN_FAILED');
}

function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // 'a' creates a missing file, and leaves an existing one unchanged.
  closeSync(openSync(file, 'a', 0o600));
}

/** Wraps a verb that reads with one statement. */
export function reading<Arguments extends unknown[], Result>(
  unit: (...args: Arguments) => Result,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => {
    try {
      return unit(...args);
    } catch (cause) {
      throw unreachable(cause) ?? cause;
    }
  };
}

/**
 * Wraps a verb in one IMMEDIATE transaction: no other process writes between its reads and its writes.
 * Committed with `synchronous=NORMAL`: consistent after any crash, but a power loss may undo the newest
 * commits.
 */
export function atomic<Arguments extends unknown[], Result>(
  db: Database,
  unit: (...args: Arguments) => Result,
): (...args: Arguments) => Promise<Result> {
  return reading(db.transaction(unit).immediate);
}

/**
 * The same with `synchronous=FULL`: it survives a power loss once it has resolved. For records that someone
 * acts on: an action's start and end, a decision, a key switched off.
 */
export function durable<Arguments extends unknown[], Result>(
  db: Database,
  unit: (...args: Arguments) => Result,
): (...args: Arguments) => Promise<Result> {
  const run = db.transaction(unit).immediate;
  return reading((...args: Arguments) => {
    // The setting cannot change inside a transaction.
    db.exec('PRAGMA synchronous = FULL');
    try {
      return run(...args);
    } finally {
      db.exec('PRAGMA synchronous = NORMAL');
    }
  });
}

const UNREACHABLE = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|NOMEM)/;

function unreachable(cause: unknown): ServiceError | undefined {
  if (!(cause instanceof sqliteDriver().SqliteError) || !UNREACHABLE.test(cause.code)) return undefined;
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

/**
 * Returns the store's clock, which decides leases: this machine's. SQLite's own clock would return the same
 * for every process that opens the file; this one needs no statement. Read it inside the transaction, which
 * may have waited for another.
 */
export function storeNowMs(): number {
  return Date.now();
}

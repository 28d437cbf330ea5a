import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { ServiceError } from '../../core/contract/errors.ts';
import { migrate } from './migrations.ts';

/** How long a transaction waits for another process's. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the file, made with its folder when it is missing, both readable by their owner alone.
 * SQLite gives the files beside it (`-wal`, `-shm`) the mode of the file.
 * @throws Error that names the file, with the cause
 */
export function openDatabase(file: string): Database {
  let db: Database | undefined;
  try {
    if (file !== ':memory:') createFile(file);
    db = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    // What was deleted is not to be found in the file.
    db.pragma('secure_delete = ON');
    migrate(db);
    return db;
  } catch (cause) {
    db?.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The database ${file} cannot be opened: ${why}`, { cause });
  }
}

function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // 'a' creates it where it is missing, and leaves what is there as it is.
  closeSync(openSync(file, 'a', 0o600));
}

/** A verb that reads with one statement. */
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
 * A verb as one IMMEDIATE transaction: nobody else writes between what it reads and what it writes.
 * Committed with `synchronous=NORMAL`: whole after any crash, though a loss of power may undo the newest ones.
 */
export function atomic<Arguments extends unknown[], Result>(
  db: Database,
  unit: (...args: Arguments) => Result,
): (...args: Arguments) => Promise<Result> {
  return reading(db.transaction(unit).immediate);
}

/**
 * The same with `synchronous=FULL`: it survives a loss of power before it resolves. For what must not be forgotten
 * once somebody acted on it: an action's start and end, a decision, a key switched off.
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
  if (!(cause instanceof SqliteDatabase.SqliteError) || !UNREACHABLE.test(cause.code)) return undefined;
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

/**
 * The store's clock, by which leases are judged: this machine's. Every process that opens the file runs on it, so
 * SQLite's own clock would tell the same; this one needs no statement. Read it inside the transaction, which may
 * have waited for another.
 */
export function storeNowMs(): number {
  return Date.now();
}

import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { sqliteDriver } from '../sqlite/driver.ts';
import { createPrivateFile } from '../sqlite/private-folder.ts';
import { derivedKey } from './sealed-records.ts';

/** Rises with every change of the tables or of what is in them. A file of another version is built again. */
const VERSION = 3;
/** How long the thread of the index waits for another process. */
const LOCK_WAIT_MS = 5000;

/**
 * `messages.id` begins with the second in which a message was received (message-id.ts), so SQLite returns the newest first
 * without sorting. A folder is named by keyed hashes of its account and path, and so are the ids that link messages.
 */
const TABLES = `
  CREATE TABLE keys (proof BLOB NOT NULL);
  CREATE TABLE folders (
    id INTEGER PRIMARY KEY, account BLOB NOT NULL, path BLOB NOT NULL, sealed BLOB NOT NULL, UNIQUE (account, path)
  );
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, uid INTEGER NOT NULL, received_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL, UNIQUE (folder, uid)
  );
  CREATE TABLE fetched (
    account BLOB NOT NULL, day INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (account, day)
  ) WITHOUT ROWID;
  CREATE TABLE links (message INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (message, hash)) WITHOUT ROWID;
  CREATE INDEX links_hash ON links (hash);
  CREATE VIRTUAL TABLE terms USING fts5(
    term, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  PRAGMA user_version = ${VERSION};
`;

/**
 * Opens the file of an index. Creates it if it is missing, and creates it anew if it was written with another key or by
 * another version, or is damaged: everything in it can be built again.
 * @throws Error if that is not possible, too
 */
export function openIndexFile(file: string, secretKey: Uint8Array): Database {
  try {
    return openedFile(file, secretKey);
  } catch (error) {
    if (!isDamaged(error)) throw error;
  }
  eraseIndexFile(file);
  return openedFile(file, secretKey);
}

/** It must not be open in this process. */
export function eraseIndexFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

/** Whether the file is not what SQLite has written. */
export function isDamaged(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return typeof error.code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function openedFile(file: string, secretKey: Uint8Array): Database {
  if (file !== ':memory:') createPrivateFile(file);
  const SqliteDatabase = sqliteDriver();
  const db = new SqliteDatabase(file, { timeout: LOCK_WAIT_MS });
  try {
    // Of a new file alone: what is erased can be given back to the disk.
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON');
    db.pragma('cache_size = -4000');
    const proof = createHmac('sha256', derivedKey(secretKey, 'proof')).digest();
    db.transaction(() => {
      if (!isOf(db, proof)) create(db, proof);
    }).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isOf(db: Database, proof: Buffer): boolean {
  if (db.pragma('user_version', { simple: true }) !== VERSION) return false;
  const written = db.prepare('SELECT proof FROM keys').pluck().get();
  return written instanceof Uint8Array && proof.equals(written);
}

function create(db: Database, proof: Buffer): void {
  for (const table of ['keys', 'folders', 'messages', 'fetched', 'links', 'terms'])
    db.exec(`DROP TABLE IF EXISTS ${table}`);
  db.exec(TABLES);
  db.prepare('INSERT INTO keys (proof) VALUES (?)').run(proof);
}

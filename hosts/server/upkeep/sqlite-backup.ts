import { closeSync, openSync, readSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { sqliteDriver } from '../../../adapters/sqlite/driver.ts';
import { readableVersion } from '../../../adapters/sqlite/migrations.ts';
import { KEY_ID_CHARS, keyIdOf } from '../../../core/secrets/keyring.ts';
import type { DriverRow } from '../../../core/state/query.ts';
import { type BackupContents, restoredStatements } from './backup-contents.ts';
import { SEALED_COLUMNS, sealedTextIn, textIn } from './sealed-columns.ts';

/**
 * Copies a database that others may be using, as it is at one moment. Does not upgrade it.
 * @param to  an empty file. The copy needs no other file beside it.
 */
export async function backUpSqlite(file: string, to: string): Promise<void> {
  const source = open(file, { readonly: true });
  try {
    // All pages in one step: a backup in several steps starts again whenever another process writes.
    await source.backup(to, { progress: () => Number.MAX_SAFE_INTEGER });
  } finally {
    source.close();
  }
  const copy = open(to);
  try {
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/** @throws Error with a message for the user if it is not an intact backup of this version or an earlier one */
export function readSqliteBackup(file: string): BackupContents {
  const db = open(file, { readonly: true });
  try {
    return contentsOf(db);
  } finally {
    db.close();
  }
}

/** Prepares a copy of a backup for use as the database. @param file  the copy */
export function prepareSqlite(file: string): void {
  const db = open(file);
  try {
    db.pragma('foreign_keys = ON');
    db.transaction(() => {
      for (const statement of restoredStatements('')) db.exec(statement);
    }).immediate();
  } finally {
    db.close();
  }
}

const SQLITE_MARK = 'SQLite format 3\0';

/** Whether the file starts as one of SQLite does. */
export function isSqliteFile(file: string): boolean {
  const start = Buffer.alloc(SQLITE_MARK.length);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, start);
  } finally {
    closeSync(opened);
  }
  return start.toString('latin1') === SQLITE_MARK;
}

function open(file: string, options: { readonly readonly?: boolean } = {}): Database {
  const SqliteDatabase = sqliteDriver();
  return new SqliteDatabase(file, { ...options, fileMustExist: true });
}

function contentsOf(db: Database): BackupContents {
  const rows = (sql: string) => db.prepare<[], DriverRow>(sql).all();
  const schemaVersion = readableVersion(db);
  if (schemaVersion === 0) throw new Error('it is not a database of Countersign.');
  const [check = {}] = rows('PRAGMA integrity_check(1)');
  const fault = textIn(check, 'integrity_check');
  if (fault !== 'ok') throw new Error(`it is damaged: ${fault}`);
  const keyIds = new Set<string>();
  for (const sealedColumn of SEALED_COLUMNS) {
    const { table, column, sealedIn } = sealedColumn;
    const value = sealedIn === undefined ? `substr(${column}, 1, ${KEY_ID_CHARS})` : column;
    for (const row of rows(`SELECT DISTINCT ${value} AS value FROM ${table} WHERE ${column} IS NOT NULL`)) {
      const sealed = sealedTextIn(sealedColumn, textIn(row, 'value'));
      if (sealed !== null) keyIds.add(keyIdOf(sealed));
    }
  }
  const count = (state: string) =>
    Number(rows(`SELECT count(*) AS n FROM approvals WHERE state = '${state}'`)[0]?.n);
  return { schemaVersion, keyIds, pending: count('pending'), approved: count('approved') };
}

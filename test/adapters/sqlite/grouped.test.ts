import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grouping } from '../../../adapters/sqlite/grouped.ts';
import { lockLine } from '../../../adapters/sqlite/lock-line.ts';

/** As a test waits for what must be refused. */
const LOCK_WAIT_MS = 20;

describe('verbs that are committed together', () => {
  let folder: string;
  let db: Database;
  let other: Database;
  let add: (name: string, wish?: 'fail') => Promise<number>;

  const namesIn = (from: Database) => from.prepare('SELECT name FROM names ORDER BY rowid').pluck().all();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-grouped-'));
    db = new SqliteDatabase(join(folder, 'test.db'), { timeout: 1 });
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE names (name TEXT NOT NULL) STRICT');
    other = new SqliteDatabase(join(folder, 'test.db'));
    const insert = db.prepare('INSERT INTO names VALUES (?)');
    const together = grouping(db, lockLine(db, LOCK_WAIT_MS), () => undefined);
    add = together((name: string, wish?: 'fail') => {
      const before = namesIn(db).length;
      insert.run(name);
      if (wish === 'fail') throw new Error(`${name} fails`);
      return before;
    });
  });

  afterEach(() => {
    db.close();
    other.close();
    rmSync(folder, { recursive: true });
  });

  it('see the changes of those before them, which nobody else sees until all are committed', async () => {
    const seen: unknown[] = [];
    const look = grouping(
      db,
      lockLine(db),
      () => undefined,
    )((name: string) => {
      db.prepare('INSERT INTO names VALUES (?)').run(name);
      seen.push([namesIn(db), namesIn(other)]);
    });
    await Promise.all([look('a'), look('b')]);
    expect(seen).toEqual([
      [['a'], []],
      [['a', 'b'], []],
    ]);
    expect(namesIn(other)).toEqual(['a', 'b']);
  });

  it('are independent if one fails: only its changes are rolled back', async () => {
    const answers = await Promise.allSettled([add('a'), add('b', 'fail'), add('c')]);
    expect(answers).toEqual([
      { status: 'fulfilled', value: 0 },
      { status: 'rejected', reason: new Error('b fails') },
      { status: 'fulfilled', value: 1 },
    ]);
    expect(namesIn(other)).toEqual(['a', 'c']);
  });

  it('all fail while another process locks the file', async () => {
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.allSettled([add('a'), add('b')]);
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: 'temporarily_unavailable' } },
      { status: 'rejected', reason: { code: 'temporarily_unavailable' } },
    ]);
    other.exec('ROLLBACK');
    expect(namesIn(other)).toEqual([]);
    await add('c');
    expect(namesIn(other)).toEqual(['c']);
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { transactionsOn } from '../../../adapters/sqlite/transactions.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { sqliteRotating } from '../../../hosts/server/upkeep/sqlite-rotating.ts';
import { addOwnerAndKey, type Key, NOON, SIGNER } from '../../contracts/storage/scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';

let folder: string;
let file: string;
/** Another program. */
let other: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-locked-'));
  file = join(folder, 'countersign.db');
});

afterEach(() => {
  other.close();
  rmSync(folder, { recursive: true });
});

const TURNS = 20;

/** Lets timers of the event loop run. While the thread is blocked, there are none. */
async function turns(during: () => Promise<void> = async () => undefined): Promise<void> {
  for (let n = 0; n < TURNS; n += 1) {
    await passed(1);
    await during();
  }
}

const UNAVAILABLE = { code: 'temporarily_unavailable', details: { retry_after_s: 5 } };

describe('while another program holds the lock', () => {
  let storage: Storage;
  let key: Key;

  beforeEach(async () => {
    storage = sqliteStorage({ file });
    key = await addOwnerAndKey(storage);
    other = new SqliteDatabase(file);
    onTestFinished(() => storage.close());
  });

  it('verbs wait, the event loop turns and reads answer; then each is done once', async () => {
    const events: string[] = [];
    const ended = (name: string) => (value: unknown) => {
      events.push(name);
      return value;
    };
    const { ownerId } = key;
    const aTracker = { ownerId, requestId: 'r', keywords: '', dueOn: null, addedByAgent: true, now: NOON };
    other.exec('BEGIN IMMEDIATE');
    const waiting = [
      storage.updateOwner({ signer: SIGNER, ownerId, timezone: 'Europe/Paris' }).then(ended('durable')),
      storage.createTracker({ ...aTracker, title: 'The roof' }).then(ended('relaxed')),
    ];
    await turns(async () => {
      await storage.healthy();
      expect(await storage.owner(ownerId)).toMatchObject({ timezone: 'Europe/Zurich' });
    });
    ended('given back')(0);
    other.exec('COMMIT');
    await Promise.all(waiting);
    // Both are committed, and then one is flushed.
    expect(events).toEqual(['given back', 'relaxed', 'durable']);
    expect(await storage.owner(ownerId)).toMatchObject({ timezone: 'Europe/Paris' });
    const count = other.prepare('SELECT count(*) FROM trackers').pluck();
    expect(count.get()).toBe(1);
  });

  it('a database of this version opens, and is read', async () => {
    other.exec('BEGIN IMMEDIATE');
    const second = sqliteStorage({ file });
    expect(await second.owner(key.ownerId)).toBeDefined();
    await second.close();
    other.exec('COMMIT');
  });

  it('secret keys are rotated once it is given back', async () => {
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    const events: string[] = [];
    other.exec('BEGIN IMMEDIATE');
    const rotated = sqliteRotating(db).transact(async () => void events.push('rotated'));
    await turns();
    events.push('given back');
    other.exec('COMMIT');
    await rotated;
    expect(events).toEqual(['given back', 'rotated']);
  });

  it('what is removed leaves the log as soon as no reader needs it', async () => {
    const { ownerId } = key;
    const settings = 'sealed-settings-'.repeat(1000);
    const { accountId } = await storage.addAccount({
      ownerId,
      label: 'work',
      email: 'w@work.example',
      signature: '',
      seal: () => settings,
      folderRoles: USUAL_ROLES,
      now: NOON,
    });
    const holds = () => readFileSync(`${file}-wal`, 'latin1').includes('sealed-settings-');
    expect(holds()).toBe(true);
    other.exec('BEGIN; SELECT count(*) FROM owners');
    other.prepare('SELECT count(*) FROM owners').get();
    const events: string[] = [];
    const removed = storage
      .removeAccount({ ownerId, accountId, targetsBegin: 'none', now: NOON })
      .then(() => events.push('removed'));
    await turns(async () => {
      // Writes do not wait for the log.
      await storage.confirmAccessChanges(ownerId, NOON);
    });
    expect(holds()).toBe(true);
    events.push('given back');
    other.exec('COMMIT');
    await removed;
    expect(events).toEqual(['given back', 'removed']);
    expect(holds()).toBe(false);
  });
});

describe('the line of those who wait for a lock', () => {
  /** Long enough for a test that pauses for a moment. */
  const LONG_MS = 60_000;
  const SHORT_MS = 40;
  let db: Database;
  let tries: number;

  beforeEach(() => {
    tries = 0;
    const counted = (statement: unknown) => {
      if (statement === 'BEGIN IMMEDIATE') tries += 1;
    };
    db = new SqliteDatabase(file, { timeout: 1, verbose: counted });
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE names (name TEXT NOT NULL) STRICT');
    other = new SqliteDatabase(file);
    onTestFinished(() => void db.close());
  });

  const names = () => other.prepare('SELECT name FROM names ORDER BY rowid').pluck().all();
  const insert = (name: string) => db.prepare('INSERT INTO names VALUES (?)').run(name);

  it('keeps the order of the calls, and costs no more the longer it is', async () => {
    const { durable, together } = transactionsOn(db, LONG_MS);
    const [slow, fast] = [durable(insert), together(insert)];
    const called = Array.from({ length: 300 }, (_, n) => `name ${n}`);
    other.exec('BEGIN IMMEDIATE');
    const waiting: Promise<unknown>[] = [];
    for (const [n, name] of called.entries()) {
      waiting.push(n % 2 === 0 ? slow(name) : fast(name));
      // Verbs of one turn that share a transaction come behind its others.
      await new Promise(setImmediate);
    }
    await turns();
    const whileLocked = tries;
    other.exec('COMMIT');
    const turnsOfEnds = new Set<number>();
    for (const one of waiting) void one.then(() => turnsOfEnds.add(turn));
    let turn = 0;
    let isTurning = true;
    const next = () => {
      turn += 1;
      if (isTurning) setImmediate(next);
    };
    next();
    await Promise.all(waiting);
    isTurning = false;
    expect(names()).toEqual(called);
    expect(whileLocked).toBeLessThan(called.length);
    // Other work gets its turns in between.
    expect(turnsOfEnds.size).toBeGreaterThan(called.length / 2);
  });

  it('refuses one whose time is over, and never runs it', async () => {
    const { durable, together } = transactionsOn(db, SHORT_MS);
    other.exec('BEGIN IMMEDIATE');
    const verbs = [durable(insert)('a'), together(insert)('b'), durable(insert)('c')];
    const answers = await Promise.allSettled(verbs);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
      expect(answer).toMatchObject({ reason: { message: expect.stringContaining(file) as unknown } });
      expect(answer).toMatchObject({ reason: { cause: { code: 'SQLITE_BUSY' } } });
    }
    other.exec('COMMIT');
    await turns();
    await durable(insert)('d');
    expect(names()).toEqual(['d']);
  });

  it('gives each its own time', async () => {
    const { durable } = transactionsOn(db, SHORT_MS);
    other.exec('BEGIN IMMEDIATE');
    const first = durable(insert)('a');
    let isOver = false;
    const refused = first.catch(() => {
      isOver = true;
    });
    // The last of these was called right before the time of the first was over.
    const later: Promise<unknown>[] = [];
    while (!isOver) {
      later.push(Promise.allSettled([durable(insert)(`b${later.length}`)]));
      await passed(1);
    }
    other.exec('COMMIT');
    await refused;
    await Promise.all(later);
    expect(names()).not.toContain('a');
    expect(names()).toContain(`b${later.length - 1}`);
  });

  it('is refused when the database is closed', async () => {
    const { durable, close } = transactionsOn(db, LONG_MS);
    other.exec('BEGIN IMMEDIATE');
    const waiting = [durable(insert)('a'), durable(insert)('b')];
    const closed = close();
    for (const one of waiting) await expect(one).rejects.toMatchObject(UNAVAILABLE);
    await closed;
    other.exec('COMMIT');
    await turns();
    expect(names()).toEqual([]);
  });

  it('lets reads wait too, if the other program keeps even readers out', async () => {
    const { reading } = transactionsOn(db, LONG_MS);
    db.pragma('journal_mode = DELETE');
    const events: string[] = [];
    other.exec('BEGIN EXCLUSIVE');
    const read = reading(() => db.prepare('SELECT count(*) FROM names').pluck().get())();
    const ended = read.then(() => events.push('read'));
    await turns();
    events.push('given back');
    other.exec('COMMIT');
    await ended;
    expect(events).toEqual(['given back', 'read']);
    expect(await read).toBe(0);
  });
});

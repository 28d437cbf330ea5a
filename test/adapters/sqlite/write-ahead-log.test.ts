import { fstatSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { transactionsOn } from '../../../adapters/sqlite/transactions.ts';
import { flushFile, sharedFlush } from '../../../adapters/sqlite/write-ahead-log.ts';

const settled = () => new Promise(setImmediate);

describe('a shared flush', () => {
  it('answers each caller with one that began after the call, and never runs twice at once', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('call', 'end'), { maxLength: 30 }), async (steps) => {
        let [begun, called] = [0, 0];
        const ends: (() => void)[] = [];
        const flush = sharedFlush(() => {
          begun += 1;
          expect(ends).toHaveLength(0);
          return new Promise((resolve) => ends.push(resolve));
        });
        const calls: Promise<unknown>[] = [];
        const answered: number[] = [];
        const call = async (first: number) => {
          await flush();
          // A flush that ran when this was called may have missed its changes.
          expect(begun).toBeGreaterThanOrEqual(first);
          answered.push(first);
        };
        const endOne = async () => {
          ends.pop()?.();
          await settled();
        };
        for (const step of [...steps, 'call'] as const) {
          if (step === 'end') await endOne();
          else {
            called += 1;
            calls.push(call(begun + 1));
            if (called % 2 === 0) await settled();
          }
        }
        while (answered.length < called) await endOne();
        await Promise.all(calls);
        // Without calls there is none, and callers that wait share one.
        expect(begun).toBeLessThanOrEqual(called);
      }),
    ));

  it('serves all who came while another ran', async () => {
    const ends: (() => void)[] = [];
    const flush = sharedFlush(() => new Promise((resolve) => ends.push(resolve)));
    const first = flush();
    await settled();
    const others = Array.from({ length: 50 }, () => flush());
    ends[0]?.();
    await first;
    await settled();
    ends[1]?.();
    await Promise.all(others);
    expect(ends).toHaveLength(2);
  });

  it('fails from then on, once the disk has', async () => {
    const cause = new Error('EIO');
    let begun = 0;
    const flush = sharedFlush(async () => {
      begun += 1;
      if (begun === 2) throw cause;
    });
    await flush();
    for (let n = 0; n < 3; n += 1) {
      await expect(flush()).rejects.toMatchObject({ code: 'temporarily_unavailable', cause });
    }
    expect(begun).toBe(2);
  });
});

describe('the log of a database', () => {
  let folder: string;
  let file: string;
  let db: Database;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
    file = join(folder, 'countersign.db');
    db = openDatabase(file);
    db.exec('CREATE TABLE texts (text TEXT NOT NULL) STRICT');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const insert = (text: string) => db.prepare('INSERT INTO texts VALUES (?)').run(text);
  const logBytes = () => statSync(`${file}-wal`).size;
  const texts = (from: Database) => from.prepare('SELECT count(*) FROM texts').pluck().get();

  it('is flushed before a durable verb resolves, and for no other', async () => {
    const flushed: number[] = [];
    let release = () => undefined;
    const { durable, together, close } = transactionsOn(db, undefined, async (descriptor) => {
      flushed.push(fstatSync(descriptor).ino);
      await new Promise<void>((resolve) => {
        release = () => void resolve();
      });
      await flushFile(descriptor);
    });
    const answered: string[] = [];
    const verbs = [durable, together, durable].map(async (way, n) => {
      await way(insert)(`${n}`);
      answered.push(`${n}`);
    });
    await verbs[1];
    await expect.poll(() => flushed.length).toBe(1);
    // They are committed, and others see them.
    const other = new SqliteDatabase(file, { readonly: true });
    expect([texts(other), answered]).toEqual([3, ['1']]);
    other.close();
    release();
    await Promise.all(verbs);
    expect(answered).toEqual(['1', '0', '2']);
    // Both shared one, of the file that has the changes.
    expect(flushed).toEqual([statSync(`${file}-wal`).ino]);
    const failing = durable(() => {
      throw new Error('of the verb');
    });
    await expect(failing()).rejects.toThrow('of the verb');
    expect(flushed).toHaveLength(1);
    const closed = close();
    await expect.poll(() => flushed.length).toBe(2);
    release();
    await closed;
  });

  it('fails a durable verb whose flush fails', async () => {
    const cause = new Error('EIO');
    const { durable, together, close } = transactionsOn(db, undefined, () => Promise.reject(cause));
    await expect(durable(insert)('a')).rejects.toMatchObject({ code: 'temporarily_unavailable', cause });
    await together(insert)('b');
    expect(texts(db)).toBe(2);
    await close();
  });

  it('is shortened when it is long, while verbs go on, and loses nothing', async () => {
    const { durable, close } = transactionsOn(db);
    const [each, limit] = [16_384, 4_096_000];
    let [count, most] = [0, 0];
    // It begins anew at its limit once all of it is in the database, while another thread works on that.
    while (most < 100 * limit && logBytes() >= most) {
      most = logBytes();
      await durable(insert)('x'.repeat(each));
      count += 1;
    }
    expect(most).toBeGreaterThan(limit);
    expect(logBytes()).toBe(limit);
    expect(texts(db)).toBe(count);
    await close();
    const later = openDatabase(file);
    expect(texts(later)).toBe(count);
    later.close();
  });

  it('is emptied on demand, while another program writes', async () => {
    const { durable, emptyLog, close } = transactionsOn(db);
    await durable(insert)('a secret');
    expect(readFileSync(`${file}-wal`, 'latin1')).toContain('a secret');
    const other = new SqliteDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const emptied = emptyLog();
    await settled();
    // The thread is not blocked meanwhile.
    other.exec('COMMIT');
    other.close();
    await emptied;
    expect(logBytes()).toBe(0);
    await close();
  });

  it('is shortened no more after the database was closed', async () => {
    const { together, emptyLog, close } = transactionsOn(db);
    await together(insert)('a');
    await close();
    await expect(emptyLog()).rejects.toThrow('The database was closed.');
  });

  it('fails the call, with the cause, if the database is gone', async () => {
    const { durable, emptyLog, close } = transactionsOn(db);
    await durable(insert)('a');
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`);
    await expect(emptyLog()).rejects.toMatchObject({
      message: 'The thread that shortens the log of the database failed.',
      cause: expect.objectContaining({ code: 'SQLITE_CANTOPEN' }) as unknown,
    });
    await close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { openTestService, type TestService } from '../../open-service.ts';

const OLD_ROWS = 3000;

describe('activity of which much is old at once', () => {
  let opened: TestService;
  let rowsLeft: () => number;

  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-erase-'));
    const file = join(folder, 'countersign.db');
    opened = await openTestService({ storage: sqliteStorage({ file }) });
    const db = new Database(file);
    db.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${OLD_ROWS})
      INSERT INTO activity (owner_id, activity_id, at_ms, kind, outcome, duration_ms, shown, listed)
      SELECT ?, n, unixepoch() * 1000 - (465 * 86400000) + n * 10000000, 'call', 'ok', 0, '[]', '[]' FROM numbers`,
    ).run(opened.ownerId);
    const count = db.prepare('SELECT count(*) FROM activity').pluck();
    rowsLeft = () => Number(count.get());
    onTestFinished(async () => {
      await opened.service.stop();
      db.close();
      rmSync(folder, { recursive: true });
    });
  });

  it('is erased in parts, and calls are answered between them', async () => {
    const key = await opened.addKey('full');
    let isOver = false;
    const erased = opened.service.recover().then(() => {
      isOver = true;
    });
    const seen = new Set<number>();
    while (!isOver) {
      await key.call('get_me');
      const rows = rowsLeft();
      if (rows < OLD_ROWS) seen.add(rows);
    }
    await erased;
    expect(seen.size).toBeGreaterThan(3);
    // What is not old yet, and the calls.
    expect(rowsLeft()).toBeLessThan(OLD_ROWS / 2);
  });

  it('is left to the next start when the service stops', async () => {
    opened.service.start();
    while (rowsLeft() >= OLD_ROWS) await new Promise((resolve) => setImmediate(resolve));
    await opened.service.stop();
    expect(rowsLeft()).toBeGreaterThan(OLD_ROWS / 2);
  });
});

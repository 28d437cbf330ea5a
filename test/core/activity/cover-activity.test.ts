import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { checkActivity } from '../../../core/activity/check-activity.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { openTestService, silentLog } from '../../open-service.ts';

it('background work covers the activity of every owner, even if the rows of one are unreadable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cover-'));
  const file = join(folder, 'countersign.db');
  const storage = sqliteStorage({ file });
  const secretKeys = [randomBytes(32)];
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => errors.push(message) };
  const opened = await openTestService({ storage, secretKeys, log });
  const { service, ownerId, clock } = opened;
  onTestFinished(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });
  const key = await opened.addKey('full');
  for (const tool of ['get_me', 'list_accounts']) await key.call(tool);
  const db = new Database(file);
  // This owner is the first in order.
  await service.owners.create({ ownerId: '0', email: 'first@example.org' });
  db.exec(`INSERT INTO activity SELECT '0', 1, at_ms, 'nonsense', NULL, NULL, 'ok', NULL, 0, '[]', '[]'
    FROM activity WHERE activity_id = 1`);
  db.close();
  await service.recover();
  const check = (owner: string) =>
    checkActivity(storage, owner, createKeyring(secretKeys, randomBytes), clock.now());
  expect(await check(ownerId)).toMatchObject({ intact: 2, faults: [], uncovered: { count: 0 } });
  expect(await storage.checkpoints('0')).toEqual([]);
  expect(errors).toEqual(['activity could not be covered by a checkpoint']);
});

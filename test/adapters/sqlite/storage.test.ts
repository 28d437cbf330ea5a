import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '../../../core/ports/storage.ts';
import { type StorageUnderTest, storageContract } from '../../contracts/storage.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { emptyDatabase, sqliteOnClock } from '../../store-clock.ts';

async function open(): Promise<StorageUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-sqlite-'));
  const location = join(folder, 'countersign.db');
  await writeFile(location, emptyDatabase());
  const opened = new Set<Storage>();
  let passedMs = 0;
  const connect = (): Storage => {
    const storage = sqliteOnClock(location, () => Date.now() + passedMs);
    opened.add(storage);
    return storage;
  };
  const closeAll = async (): Promise<void> => {
    for (const storage of opened) await storage.close();
    opened.clear();
  };
  return {
    storage: connect(),
    location,
    passTime: async (ms) => {
      passedMs += ms;
    },
    second: async () => connect(),
    reopen: async () => {
      await closeAll();
      return connect();
    },
    close: async () => {
      await closeAll();
      await rm(folder, { recursive: true });
    },
  };
}

storageContract('sqliteStorage', open, await bundleForChild(join(import.meta.dirname, 'racer.ts'), 'bundle'));

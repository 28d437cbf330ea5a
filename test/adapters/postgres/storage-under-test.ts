import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { StorageUnderTest } from '../../contracts/storage.ts';
import type { MovableDatabase } from '../../servers/movable-databases.ts';

/** What is open on each database: the tests that take it one after the other connect once. */
const kept = new WeakMap<MovableDatabase, Storage>();

/**
 * What the storage contract needs of a database without rows.
 * @param location  its connection string, directly or through a pooler
 */
export function storageUnderTest(
  database: MovableDatabase,
  location = database.connectionString,
): StorageUnderTest {
  const opened = new Set<Storage>();
  const connect = (): Storage => {
    const storage = postgresStorage({ connectionString: location });
    const own = {
      ...storage,
      async close() {
        if (kept.get(database) === own) kept.delete(database);
        await storage.close();
      },
    };
    opened.add(own);
    return own;
  };
  const closeAll = async (): Promise<void> => {
    for (const storage of opened) await storage.close();
    opened.clear();
  };
  const first = kept.get(database) ?? connect();
  opened.add(first);
  kept.set(database, first);
  return {
    storage: first,
    location,
    passTime: database.passTime,
    second: async () => connect(),
    reopen: async () => {
      await closeAll();
      return connect();
    },
    close: async () => {
      for (const storage of opened) if (storage !== kept.get(database)) await storage.close();
      await database.giveBack();
    },
  };
}

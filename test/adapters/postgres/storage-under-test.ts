import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { StorageUnderTest } from '../../contracts/storage.ts';
import type { MovableDatabase } from '../../servers/movable-databases.ts';

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
    passTime: database.passTime,
    second: async () => connect(),
    reopen: async () => {
      await closeAll();
      return connect();
    },
    close: async () => {
      await closeAll();
      await database.giveBack();
    },
  };
}

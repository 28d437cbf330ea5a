import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { type StorageUnderTest, storageContract } from '../../contracts/storage.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { onMovableClock, passTime } from '../../servers/movable-clock.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';

const missing = missingPostgres();
const racer = await bundleForChild(join(import.meta.dirname, 'racer.ts'));

describe.skipIf(missing.length > 0)(titledWithout(missing, 'storage in Postgres'), () => {
  let postgres: Postgres;
  let location: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    location = await onMovableClock(await postgres.createDatabase());
  });
  afterAll(async () => {
    await postgres?.dropDatabase(location);
    await postgres?.stop();
  });

  async function open(): Promise<StorageUnderTest> {
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
      passTime: (ms) => passTime(location, ms),
      second: async () => connect(),
      reopen: async () => {
        await closeAll();
        return connect();
      },
      close: async () => {
        await closeAll();
        // Faster than a database for each test. The next one creates its schema again.
        await asked(
          location,
          'DROP SCHEMA IF EXISTS countersign CASCADE; UPDATE test_clock.passed SET ms = 0',
        );
      },
    };
  }

  storageContract('postgresStorage', open, racer);
});

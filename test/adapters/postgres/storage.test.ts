import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { type StorageUnderTest, storageContract } from '../../contracts/storage.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
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
      passTime: async (ms) => {
        await asked(location, `UPDATE test_clock.passed SET ms = ms + ${ms}`);
      },
      second: async () => connect(),
      reopen: async () => {
        await closeAll();
        return connect();
      },
      close: async () => {
        await closeAll();
        // Faster than a database for each test; the next one makes its schema anew.
        await asked(
          location,
          'DROP SCHEMA IF EXISTS countersign CASCADE; UPDATE test_clock.passed SET ms = 0',
        );
      },
    };
  }

  storageContract('postgresStorage', open, racer);
});

/** @returns connects to the database so that `clock_timestamp()` shows as much more as `test_clock.passed` says */
async function onMovableClock(database: string): Promise<string> {
  await asked(
    database,
    `CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.passed (ms bigint NOT NULL);
    INSERT INTO test_clock.passed VALUES (0);
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      'SELECT pg_catalog.clock_timestamp() + (SELECT ms FROM test_clock.passed) * interval ''1 ms'''`,
  );
  const url = new URL(database);
  url.searchParams.set('options', '-c search_path=test_clock,pg_catalog');
  return url.href;
}

import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { everyVerbScene, VERBS } from '../../contracts/storage/every-verb.ts';
import { storageContract } from '../../contracts/storage.ts';
import { casesOf, onlyLong } from '../../only-long.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases, ON_TEST_CLOCK } from '../../servers/movable-databases.ts';
import { missingPgBouncer, type PgBouncer, startPgBouncer } from '../../servers/pgbouncer.ts';
import { type OwnPostgres, startOwnPostgres } from '../../servers/postgres.ts';
import { storageUnderTest } from './storage-under-test.ts';

const missing = missingPgBouncer();
const racer = await bundleForChild(join(import.meta.dirname, 'racer.ts'), 'bundle');

describe.skipIf(missing.length > 0)(
  titledWithout(missing, 'storage in Postgres behind pgbouncer in transaction mode'),
  () => {
    let postgres: OwnPostgres;
    let pgbouncer: PgBouncer;
    let databases: MovableDatabases;
    beforeAll(async () => {
      postgres = await startOwnPostgres();
      pgbouncer = await startPgBouncer(await postgres.createDatabase(), `SET search_path = ${ON_TEST_CLOCK}`);
      databases = movableDatabases(postgres);
    });
    afterAll(async () => {
      await pgbouncer?.stop();
      await databases?.drop();
      await postgres?.stop();
    });

    const open = async () => {
      const database = await databases.take();
      return storageUnderTest(database, pgbouncer.through(database.connectionString));
    };

    const verbs = casesOf('pgbouncer: contract', Object.entries(VERBS), (_verb, index) => index % 4 === 0);
    it.each(verbs)('answers %s', async (_name, verb) => {
      const { storage, close } = await open();
      await verb(storage, await everyVerbScene(storage));
      await close();
    });

    onlyLong('pgbouncer: contract', () => storageContract('postgresStorage', open, racer));
  },
);

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { addFullOwner } from '../../contracts/storage/full-owner.ts';
import { addOwnerAndKey, execute } from '../../contracts/storage/scene.ts';
import { storageContract } from '../../contracts/storage.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases } from '../../servers/movable-databases.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { storageUnderTest } from './storage-under-test.ts';

const missing = missingPostgres();
const racer = await bundleForChild(join(import.meta.dirname, 'racer.ts'));

describe.skipIf(missing.length > 0)(titledWithout(missing, 'storage in Postgres'), () => {
  let postgres: Postgres;
  let databases: MovableDatabases;
  beforeAll(async () => {
    postgres = await startPostgres();
    databases = movableDatabases(postgres);
  });
  afterAll(async () => {
    await databases?.drop();
    await postgres?.stop();
  });

  const open = async () => storageUnderTest(await databases.take());
  storageContract('postgresStorage', open, racer);

  it('is tested on emptied databases with the rows of new ones', async () => {
    const fresh = await postgres.createDatabase();
    const storage = postgresStorage({ connectionString: fresh });
    await storage.healthy();
    await storage.close();
    const used = await open();
    await used.passTime(1000);
    await addFullOwner(used.storage, 'secret');
    await execute(used.storage, await addOwnerAndKey(used.storage));
    await used.storage.numberEvents('approval.decided');
    const full = await rowsOf(used.location);
    await used.close();
    const emptied = await rowsOf(used.location);
    expect(emptied).toEqual(await rowsOf(fresh));
    expect(Object.values(full).flat().length).toBeGreaterThan(40);
    await postgres.dropDatabase(fresh);
  });
});

/** The rows of every table in any order, except the random id of a stream. */
async function rowsOf(url: string): Promise<Record<string, readonly string[]>> {
  const tables = await asked(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'countersign'");
  const rows: Record<string, readonly string[]> = {};
  for (const { tablename } of tables) {
    const found = await asked(url, `SELECT * FROM countersign.${String(tablename)}`);
    rows[String(tablename)] = found.map(({ stream_id: _, ...row }) => JSON.stringify(row)).toSorted();
  }
  return rows;
}

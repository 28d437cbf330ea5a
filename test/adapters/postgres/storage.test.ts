import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { POSTGRES } from '../../../adapters/sql/dialect.ts';
import { namedTexts } from '../../../adapters/sql/statement-text.ts';
import { addFullOwner } from '../../contracts/storage/full-owner.ts';
import { addOwnerAndKey, execute } from '../../contracts/storage/scene.ts';
import { storageContract } from '../../contracts/storage.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases } from '../../servers/movable-databases.ts';
import { asked, missingPostgres, onPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { until } from '../../until.ts';
import { storageUnderTest } from './storage-under-test.ts';

const missing = missingPostgres();
const racer = await bundleForChild(join(import.meta.dirname, 'racer.ts'), 'bundle');

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

  it('gives the events of a stream their positions once, whoever does so meanwhile', async () => {
    const used = await open();
    const key = await addOwnerAndKey(used.storage);
    for (let times = 0; times < 3; times += 1) await execute(used.storage, key);
    const other = new pg.Client({ connectionString: used.location });
    await other.connect();
    try {
      const type = 'approval.decided';
      const statement = (text: string) => text.replaceAll('@type', `'${type}'`);
      await other.query('BEGIN');
      for (const text of namedTexts('number_events', POSTGRES)) await other.query(statement(text));
      const numbering = used.storage.numberEvents(type);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await asked(used.location, waiting)).length > 0);
      await other.query('COMMIT');
      await numbering;
      const positions = statement(
        'SELECT position FROM countersign.events WHERE type = @type ORDER BY position',
      );
      expect((await asked(used.location, positions)).map(({ position }) => Number(position))).toEqual([
        1, 2, 3,
      ]);
      const stream = statement('SELECT last_position FROM countersign.event_streams WHERE type = @type');
      expect(Number((await asked(used.location, stream))[0]?.last_position)).toBe(3);
    } finally {
      await other.end();
      await used.close();
    }
  });

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
  return onPostgres(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'countersign'",
    );
    const rows: Record<string, readonly string[]> = {};
    for (const { name } of tables.rows) {
      const found = await client.query<Record<string, unknown>>(`SELECT * FROM countersign.${name}`);
      rows[name] = found.rows.map(({ stream_id: _, ...row }) => JSON.stringify(row)).toSorted();
    }
    return rows;
  });
}

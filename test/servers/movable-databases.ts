import pg from 'pg';
import type { Postgres } from './postgres.ts';

/** A database without rows, whose `clock_timestamp()` tests can move. */
export interface MovableDatabase {
  readonly connectionString: string;
  passTime(ms: number): Promise<void>;
  /** Deletes its rows and sets its clock right. Another test may take it then. */
  giveBack(): Promise<void>;
}

export interface MovableDatabases {
  take(): Promise<MovableDatabase>;
  /** Drops them all. */
  drop(): Promise<void>;
}

/** Databases that tests take and give back: to create one and its tables takes ten times as long as to empty it. */
export function movableDatabases(postgres: Postgres): MovableDatabases {
  const created: { readonly url: string; readonly client: pg.Client }[] = [];
  const free: MovableDatabase[] = [];

  async function create(): Promise<MovableDatabase> {
    const url = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    created.push({ url, client });
    await client.query(CLOCK);
    const onClock = new URL(url);
    onClock.searchParams.set('options', `-c search_path=${ON_TEST_CLOCK}`);
    const database: MovableDatabase = {
      connectionString: onClock.href,
      async passTime(ms) {
        await client.query('UPDATE test_clock.passed SET ms = ms + $1', [Math.round(ms)]);
      },
      async giveBack() {
        await client.query(EMPTY);
        free.push(database);
      },
    };
    return database;
  }

  return {
    take: async () => free.pop() ?? create(),
    async drop() {
      for (const { url, client } of created) {
        await client.end();
        await postgres.dropDatabase(url);
      }
    },
  };
}

/** The search path of connections on which `clock_timestamp()` is the one that tests move. */
export const ON_TEST_CLOCK = 'test_clock,pg_catalog';

const CLOCK = `
  CREATE SCHEMA test_clock;
  CREATE TABLE test_clock.passed (ms bigint NOT NULL);
  INSERT INTO test_clock.passed VALUES (0);
  CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + (SELECT ms FROM test_clock.passed) * interval ''1 ms'''`;

/** Its migrations put rows into these two tables. */
const EMPTY = `
  DO $$
  DECLARE
    tables text[] := ARRAY(SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
      WHERE schemaname = 'countersign' AND tablename NOT IN ('schema_version', 'event_streams'));
    name text;
  BEGIN
    UPDATE test_clock.passed SET ms = 0;
    IF cardinality(tables) = 0 THEN RETURN; END IF;
    -- Waits for the transactions of other connections, so that none of them adds a row later.
    EXECUTE 'LOCK TABLE countersign.event_streams, ' || array_to_string(tables, ', ');
    -- All tables end up empty, so no foreign key is checked.
    SET LOCAL session_replication_role = replica;
    FOREACH name IN ARRAY tables LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    UPDATE countersign.event_streams
      SET stream_id = left(md5(gen_random_uuid()::text), 16), last_position = 0, erased_position = 0;
  END $$`;

import { asked } from './postgres.ts';

/** @returns connects to the database so that its `clock_timestamp()` can be moved by `passTime` */
export async function onMovableClock(database: string): Promise<string> {
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

export async function passTime(url: string, ms: number): Promise<void> {
  await asked(url, `UPDATE test_clock.passed SET ms = ms + ${Math.round(ms)}`);
}

import type pg from 'pg';
import { POSTGRES } from '../sql/dialect.ts';
import { BASELINE, createSchema, unreadableVersion } from '../sql/schema.ts';
import { pgDriver } from './driver.ts';
import { checkFitness, checkUpgrade, factsOf, UnfitDatabaseError } from './fitness.ts';

/** SQL, or a function for what SQL cannot compute. */
export type Migration = string | ((client: pg.Client) => Promise<void>);

/** Migration n upgrades the schema from version `BASELINE` + n - 1 to the next. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [];

/** The newest version of the schema that this program knows. */
export const NEWEST = BASELINE + MIGRATIONS.length;

const OWN_SCHEMA = `
DO $$ BEGIN
  IF to_regnamespace('countersign') IS NULL THEN CREATE SCHEMA countersign; END IF;
END $$;
CREATE TABLE countersign.schema_version (version INTEGER NOT NULL);
INSERT INTO countersign.schema_version VALUES (0)`;

/** For opening a connection. */
export const CONNECT_MS = 5000;

/** For a query of the catalogue. */
const LOOK_MS = 10_000;

/** Arbitrary but fixed: processes that start at once wait for each other by it. */
const LOCK = 7_305_816_482;

/**
 * Upgrades the schema `countersign` of the database to this program's version, in one transaction, so that
 * processes that start at once do it only once. A role that may not create a schema needs one that already
 * exists.
 * @throws UnfitDatabaseError if the database lacks something, or a newer program wrote the schema; Error while the server
 * can only be read; the driver's errors
 */
export async function migrate(
  connectionString: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const newest = BASELINE + migrations.length;
  // A separate connection, because a migration may take longer than other statements.
  const client = clientOf({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true });
  await client.connect();
  try {
    if ((await usableVersion(client, newest)) === newest) return;
    // A process that falls silent in the middle does not block the others forever. What another process committed is seen
    // once the lock is held, whatever the isolation level of the database.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = 60000; SET LOCAL statement_timeout = 0`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // Another process may have done it meanwhile.
    const version = await versionOf(client, newest);
    if (version === 0) await client.query([OWN_SCHEMA, ...createSchema(POSTGRES)].join(';\n'));
    for (const one of migrations.slice(Math.max(0, version - BASELINE))) {
      if (typeof one === 'string') await client.query(one);
      else await one(client);
    }
    await client.query('UPDATE countersign.schema_version SET version = $1', [newest]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/**
 * Checks all that `migrate` needs.
 * @returns the version of the schema; 0: none of Countersign's tables exist
 * @throws like `migrate`
 */
async function usableVersion(client: pg.Client, newest: number): Promise<number> {
  const facts = await factsOf(client);
  checkFitness(facts);
  const version = facts.has_tables ? await versionOf(client, newest) : 0;
  if (version < newest) checkUpgrade(facts);
  return version;
}

/**
 * Whether the database has Countersign's tables. It may be a standby: they can be read there, too.
 * @throws the driver's errors; UnfitDatabaseError if a newer program wrote them
 */
export function hasSchema(connectionString: string): Promise<boolean> {
  return looking(connectionString, async (client) => (await versionOf(client, NEWEST)) > 0);
}

/**
 * Checks a database like `migrate`, and changes nothing.
 * @returns whether it has Countersign's tables
 * @throws like `migrate`
 */
export function checkSchema(connectionString: string): Promise<boolean> {
  return looking(connectionString, async (client) => (await usableVersion(client, NEWEST)) > 0);
}

async function looking<Result>(
  connectionString: string,
  look: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = clientOf({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: LOOK_MS,
  });
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
}

function clientOf(settings: pg.ClientConfig): pg.Client {
  const client = new (pgDriver().Client)(settings);
  // A lost connection is reported by the query that used it.
  client.on('error', () => undefined);
  return client;
}

/** 0: none of Countersign's tables exist. */
async function versionOf(client: pg.Client, newest: number): Promise<number> {
  // Queries the catalogue like any table. `to_regclass` uses a cache, which inside a transaction may not yet
  // contain what another process has created.
  const found = await client.query(
    "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'countersign' AND tablename = 'schema_version'",
  );
  if (found.rows.length === 0) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM countersign.schema_version');
  const version = rows[0]?.version ?? 0;
  const fault = unreadableVersion(version, newest);
  if (fault !== undefined) throw new UnfitDatabaseError(`The database cannot be used: ${fault}`);
  return version;
}

import type pg from 'pg';
import { pgDriver } from './driver.ts';
import { checkFitness, checkUpgrade, factsOf, UnfitDatabaseError } from './fitness.ts';
import { addEndingKeys, addKnownDomains } from './known-domains-schema.ts';
import { SCHEMA_1 } from './schema-1.ts';
import { SCHEMA_2 } from './schema-2.ts';
import { SCHEMA_3 } from './schema-3.ts';
import { SCHEMA_4 } from './schema-4.ts';
import { SCHEMA_5 } from './schema-5.ts';
import { SCHEMA_6 } from './schema-6.ts';
import { SCHEMA_7 } from './schema-7.ts';
import { SCHEMA_8 } from './schema-8.ts';
import { SCHEMA_9 } from './schema-9.ts';
import { SCHEMA_10 } from './schema-10.ts';
import { SCHEMA_11 } from './schema-11.ts';
import { SCHEMA_12 } from './schema-12.ts';
import { SCHEMA_13 } from './schema-13.ts';
import { SCHEMA_14 } from './schema-14.ts';
import { SCHEMA_15 } from './schema-15.ts';
import { SCHEMA_16 } from './schema-16.ts';
import { SCHEMA_17 } from './schema-17.ts';
import { SCHEMA_18 } from './schema-18.ts';
import { SCHEMA_19 } from './schema-19.ts';
import { SCHEMA_20 } from './schema-20.ts';
import { SCHEMA_21 } from './schema-21.ts';
import { SCHEMA_22 } from './schema-22.ts';
import { SCHEMA_23 } from './schema-23.ts';
import { SCHEMA_24 } from './schema-24.ts';
import { SCHEMA_25 } from './schema-25.ts';
import { SCHEMA_26 } from './schema-26.ts';
import { SCHEMA_27 } from './schema-27.ts';
import { SCHEMA_29 } from './schema-29.ts';
import { SCHEMA_30 } from './schema-30.ts';
import { SCHEMA_31 } from './schema-31.ts';
import { SCHEMA_33 } from './schema-33.ts';

/** SQL, or a function for what SQL cannot compute. */
export type Migration = string | ((client: pg.Client) => Promise<void>);

/** Migration n upgrades the schema from version n - 1 to n. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  SCHEMA_1,
  SCHEMA_2,
  SCHEMA_3,
  SCHEMA_4,
  SCHEMA_5,
  SCHEMA_6,
  SCHEMA_7,
  SCHEMA_8,
  SCHEMA_9,
  SCHEMA_10,
  SCHEMA_11,
  SCHEMA_12,
  SCHEMA_13,
  SCHEMA_14,
  SCHEMA_15,
  SCHEMA_16,
  SCHEMA_17,
  SCHEMA_18,
  SCHEMA_19,
  SCHEMA_20,
  SCHEMA_21,
  SCHEMA_22,
  SCHEMA_23,
  SCHEMA_24,
  SCHEMA_25,
  SCHEMA_26,
  SCHEMA_27,
  addKnownDomains,
  SCHEMA_29,
  SCHEMA_30,
  SCHEMA_31,
  addEndingKeys,
  SCHEMA_33,
];

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
export async function migrate(connectionString: string): Promise<void> {
  // A separate connection, because a migration may take longer than other statements.
  const client = clientOf({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true });
  await client.connect();
  try {
    if ((await usableVersion(client)) === MIGRATIONS.length) return;
    // A process that falls silent in the middle does not block the others forever. What another process committed is seen
    // once the lock is held, whatever the isolation level of the database.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = 60000; SET LOCAL statement_timeout = 0`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // Another process may have done it meanwhile.
    const version = await versionOf(client);
    await runMigrations(client, MIGRATIONS.slice(version));
    await client.query('UPDATE countersign.schema_version SET version = $1', [MIGRATIONS.length]);
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
async function usableVersion(client: pg.Client): Promise<number> {
  const facts = await factsOf(client);
  checkFitness(facts);
  const version = facts.has_tables ? await versionOf(client) : 0;
  if (version < MIGRATIONS.length) checkUpgrade(facts);
  return version;
}

export async function runMigrations(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  for (const one of migrations) typeof one === 'string' ? await client.query(one) : await one(client);
}

/**
 * Whether the database has Countersign's tables. It may be a standby: they can be read there, too.
 * @throws the driver's errors; UnfitDatabaseError if a newer program wrote them
 */
export function hasSchema(connectionString: string): Promise<boolean> {
  return looking(connectionString, async (client) => (await versionOf(client)) > 0);
}

/**
 * Checks a database like `migrate`, and changes nothing.
 * @returns whether it has Countersign's tables
 * @throws like `migrate`
 */
export function checkSchema(connectionString: string): Promise<boolean> {
  return looking(connectionString, async (client) => (await usableVersion(client)) > 0);
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
async function versionOf(client: pg.Client): Promise<number> {
  // Queries the catalogue like any table. `to_regclass` uses a cache, which inside a transaction may not yet
  // contain what another process has created.
  const found = await client.query(
    "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'countersign' AND tablename = 'schema_version'",
  );
  if (found.rows.length === 0) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM countersign.schema_version');
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new UnfitDatabaseError(
      `The database cannot be used: it has schema version ${version}, and this program knows versions up to ` +
        `${MIGRATIONS.length}. Start the newer program that wrote it, or restore a copy from before the upgrade.`,
    );
  }
  return version;
}

import pg from 'pg';
import { SCHEMA_1 } from './schema-1.ts';
import { SCHEMA_2 } from './schema-2.ts';
import { SCHEMA_3 } from './schema-3.ts';
import { SCHEMA_4 } from './schema-4.ts';
import { SCHEMA_5 } from './schema-5.ts';
import { SCHEMA_6 } from './schema-6.ts';
import { SCHEMA_7 } from './schema-7.ts';
import { SCHEMA_8 } from './schema-8.ts';

/** Migration n takes the schema from version n - 1 to n. One that was released is never edited. */
export const MIGRATIONS: readonly string[] = [
  SCHEMA_1,
  SCHEMA_2,
  SCHEMA_3,
  SCHEMA_4,
  SCHEMA_5,
  SCHEMA_6,
  SCHEMA_7,
  SCHEMA_8,
];

export class NewerSchemaError extends Error {}

/** For a connection to be made. */
export const CONNECT_MS = 5000;

/** For a look at the catalogue. */
const LOOK_MS = 10_000;

/** Any number, as long as it is always the same: processes that start at once wait for each other by it. */
const LOCK = 7_305_816_482;

/**
 * Brings the schema `countersign` of the database to this program's version, in one transaction: processes that start
 * at once do it once. A role that may not make a schema finds it made by one that may.
 * @throws NewerSchemaError when the schema was written by a newer program; the driver's errors
 */
export async function migrate(connectionString: string): Promise<void> {
  // A connection of its own, for a migration may take longer than a statement otherwise may.
  const client = clientOf({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true });
  await client.connect();
  try {
    if ((await versionOf(client)) === MIGRATIONS.length) return;
    // Who falls silent in the middle of it does not keep the others waiting for ever.
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 60000');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // Somebody else may have done it meanwhile.
    const version = await versionOf(client);
    for (const sql of MIGRATIONS.slice(version)) await client.query(sql);
    await client.query('UPDATE countersign.schema_version SET version = $1', [MIGRATIONS.length]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** Whether the database has our tables. @throws the driver's errors; NewerSchemaError */
export async function hasSchema(connectionString: string): Promise<boolean> {
  const client = clientOf({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: LOOK_MS,
  });
  await client.connect();
  try {
    return (await versionOf(client)) > 0;
  } finally {
    await client.end();
  }
}

function clientOf(settings: pg.ClientConfig): pg.Client {
  const client = new pg.Client(settings);
  // A connection that is lost is the error of what was asked on it.
  client.on('error', () => undefined);
  return client;
}

/** 0: there is none of our tables. */
async function versionOf(client: pg.Client): Promise<number> {
  // Read from the catalogue as from any table: `to_regclass` would ask a cache, which inside a transaction may not yet
  // know what another process has made.
  const found = await client.query(
    "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'countersign' AND tablename = 'schema_version'",
  );
  if (found.rows.length === 0) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM countersign.schema_version');
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new NewerSchemaError(
      `The database cannot be used: it has schema version ${version}, and this program knows versions up to ` +
        `${MIGRATIONS.length}. Start the newer program that wrote it, or restore a copy from before the upgrade.`,
    );
  }
  return version;
}

import type pg from 'pg';

/** A database that Countersign cannot use until somebody changes it. The message says what to do. */
export class UnfitDatabaseError extends Error {}

/** What decides whether a database can be used. */
export interface ServerFacts {
  /** 150004 for version 15.4. */
  readonly version: number;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  /** Whether it checks no references between tables, and removes no rows by them. */
  readonly is_replica: boolean;
  readonly role: string;
  readonly database: string;
  readonly may_create_schema: boolean;
  readonly has_schema: boolean;
  readonly may_use_schema: boolean;
  readonly may_create_tables: boolean;
  /** Whether the schema has Countersign's tables. */
  readonly has_tables: boolean;
  /** Whether the schema has tables, and none of them is Countersign's. */
  readonly has_other_tables: boolean;
  /** The first table that the role may not read and write. */
  readonly closed_table: string | null;
  /** The first table that the role does not own. */
  readonly foreign_table: string | null;
}

/** The catalogue is read like any table: functions that look up a name use a cache. */
const FACTS = `
SELECT current_setting('server_version_num')::int AS version,
  current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') = 'on' AS is_read_only,
  current_setting('session_replication_role') = 'replica' AS is_replica,
  current_user::text AS role,
  current_database()::text AS database,
  has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
  n.oid IS NOT NULL AS has_schema,
  coalesce(has_schema_privilege(n.oid, 'USAGE'), false) AS may_use_schema,
  coalesce(has_schema_privilege(n.oid, 'CREATE'), false) AS may_create_tables,
  coalesce(t.has_tables, false) AS has_tables, coalesce(NOT t.has_tables, false) AS has_other_tables, t.closed_table, t.foreign_table
FROM (SELECT 1) AS one
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = 'countersign'
LEFT JOIN LATERAL (
  SELECT bool_or(relname = 'schema_version') AS has_tables,
    min(relname::text) FILTER (WHERE NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))) AS closed_table,
    min(relname::text) FILTER (WHERE NOT pg_has_role(relowner, 'USAGE')) AS foreign_table
  FROM pg_catalog.pg_class WHERE relnamespace = n.oid AND relkind = 'r') AS t ON true`;

/**
 * Asks a server what decides whether Countersign can use it. Changes nothing.
 * @throws UnfitDatabaseError if a pooler in between runs each statement on another connection; the driver's errors
 */
export async function factsOf(client: pg.Client): Promise<ServerFacts> {
  try {
    // Two messages: a pooler that allows no transactions refuses the first.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const results: unknown = await client.query(`${FACTS}; COMMIT`);
    // Of several statements in a text, node-postgres answers a list, which its types do not know.
    const [facts] = results as readonly pg.QueryResult<ServerFacts>[];
    const [row] = facts?.rows ?? [];
    if (row === undefined) throw new Error('The server answered a query about itself with nothing.');
    return row;
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('statement pooling')) {
      throw new UnfitDatabaseError(
        'A pooler before the server allows no transactions: it is in statement mode. Set it to transaction or session mode ' +
          '(pgbouncer: pool_mode = transaction).',
      );
    }
    throw cause;
  }
}

/** `gen_random_uuid()` came with it. */
const OLDEST = 13;

/**
 * Checks that a database can be used as it is, if its tables are up to date.
 * @throws UnfitDatabaseError; Error while the server can only be read, because it may be the primary again in a moment
 */
export function checkFitness(facts: ServerFacts): void {
  const { version, encoding, role, closed_table } = facts;
  if (version < OLDEST * 10_000) {
    throw new UnfitDatabaseError(
      `The server is Postgres ${Math.floor(version / 10_000)}, and Countersign needs ${OLDEST} or newer. Upgrade the server.`,
    );
  }
  if (facts.is_read_only) {
    throw new Error(
      facts.is_standby
        ? 'The server is a standby, which can only be read. Write the address of the primary.'
        : `The server allows only reading: default_transaction_read_only is on. Turn it off: ALTER ROLE ${named(role)} SET default_transaction_read_only = off`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new UnfitDatabaseError(
      `The encoding of the database is ${encoding}, which cannot store every character. Create one with UTF8: ` +
        `CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
  if (facts.is_replica) {
    throw new UnfitDatabaseError(
      `session_replication_role is replica, so that what belongs together is not removed together. Set it back: ALTER ROLE ${named(role)} SET session_replication_role = origin`,
    );
  }
  if (facts.has_schema && !facts.may_use_schema) {
    throw new UnfitDatabaseError(
      `The role ${named(role)} may not use the schema countersign. Allow it: GRANT USAGE ON SCHEMA countersign TO ${named(role)}`,
    );
  }
  if (closed_table !== null) {
    throw new UnfitDatabaseError(
      `The role ${named(role)} may not read and write the table countersign.${closed_table}. Allow it: ` +
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA countersign TO ${named(role)}`,
    );
  }
}

/**
 * Checks that Countersign's tables can be created, or changed to those of this version.
 * @throws UnfitDatabaseError
 */
export function checkUpgrade(facts: ServerFacts): void {
  const { role, database, foreign_table } = facts;
  if (facts.has_other_tables) {
    throw new UnfitDatabaseError(
      'The schema countersign of the database belongs to another program. Use another database.',
    );
  }
  if (!facts.has_schema && !facts.may_create_schema) {
    throw new UnfitDatabaseError(
      `The role ${named(role)} may not create a schema. Create it: CREATE SCHEMA countersign AUTHORIZATION ${named(role)}, ` +
        `or allow it: GRANT CREATE ON DATABASE ${named(database)} TO ${named(role)}`,
    );
  }
  if (facts.has_schema && !facts.may_create_tables) {
    throw new UnfitDatabaseError(
      `The role ${named(role)} may not create tables in the schema countersign. Allow it: GRANT CREATE ON SCHEMA countersign TO ${named(role)}`,
    );
  }
  if (foreign_table !== null) {
    throw new UnfitDatabaseError(
      `The tables are of an earlier version, and the role ${named(role)} may not change countersign.${foreign_table}, which ` +
        'belongs to another role. Start this version once as the role that owns the tables.',
    );
  }
}

/** A name as SQL writes it. */
function named(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

import pg from 'pg';
import { ServiceError } from '../../core/errors.ts';
import type { Row } from '../rows/row.ts';
import { CONNECT_MS, migrate, NewerSchemaError } from './migrations.ts';

/** How long a transaction waits for another's. */
const LOCK_WAIT_MS = 5000;
/** After that the server ends a transaction whose process says nothing more, and frees what it holds. */
const SILENCE_MS = 15_000;
/** After that a statement's answer is not waited for any longer: the connection is given up. */
const ANSWER_MS = 30_000;
/** How often a transaction is made that Postgres itself took back. */
const TRIES = 6;

type Value = string | number | boolean | null | readonly (string | null)[];

/** A name makes a statement a prepared one, for those on the way of every call; another text needs another name. */
type Statement = string | { readonly name: string; readonly text: string };

/** How statements are run, inside a transaction or alone. */
export interface Queries {
  rows(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>;
  /** The first row. */
  row(statement: Statement, values: readonly Value[]): Promise<Row | undefined>;
  /** @returns how many rows were written */
  run(statement: Statement, values: readonly Value[]): Promise<number>;
}

/** Statements that are asked for together are sent together, and run one after the other. */
export interface Transaction extends Queries {
  /** Like `row`, for the first statement of a transaction: it is sent together with the beginning. */
  first(statement: Statement, values: readonly Value[]): Promise<Row | undefined>;
}

export interface Database extends Queries {
  /** @throws what the unit throws, when everything was rolled back; ServiceError when the store cannot be reached */
  transact<Result>(begin: string, unit: (tx: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Nothing is connected before the first verb; that one also brings the schema to this program's version.
 * @throws Error when the connection string cannot be read; it is not repeated, since a password may be in it
 */
export function openDatabase(connectionString: string): Database {
  checkReadable(connectionString);
  const pool = new pg.Pool({ connectionString, ...SETTINGS });
  // An idle connection that is lost is replaced; if it cannot be, whoever needs it is told.
  pool.on('error', () => undefined);
  let migrated: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  async function ready(): Promise<void> {
    migrated ??= answered(migrate(connectionString));
    try {
      await migrated;
    } catch (cause) {
      // The next one tries again: the server may not have been there yet.
      migrated = undefined;
      throw unreachable(cause) ?? cause;
    }
  }

  const alone = queriesOf(async (config) => {
    await ready();
    try {
      return await answered(pool.query(config));
    } catch (cause) {
      throw unreachable(cause) ?? cause;
    }
  });

  async function attempt<Result>(begin: string, unit: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const client = await answered(pool.connect());
    let broken: Error | undefined;
    const lose = (cause: Error) => {
      broken = cause;
    };
    client.on('error', lose);
    try {
      const begun = answered(client.query(begin));
      // Heard of below, or with the first statement; until then it is nobody's to handle.
      begun.catch(() => undefined);
      const result = await unit(transactionOf(client, begun));
      await begun;
      const { command } = await answered(client.query('COMMIT'));
      // This is how Postgres answers when a statement had failed before.
      if (command !== 'COMMIT')
        throw new Error('A transaction was to be committed after one of its statements failed.');
      return result;
    } catch (cause) {
      // What cannot be rolled back ends with its connection. Did it fail at COMMIT, nobody knows what became of it.
      await client.query('ROLLBACK').catch(lose);
      throw cause;
    } finally {
      client.removeListener('error', lose);
      client.release(broken);
    }
  }

  return {
    ...alone,
    async transact(begin, unit) {
      await ready();
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(begin, unit);
        } catch (cause) {
          if (tries === TRIES || !wasTakenBack(cause)) throw unreachable(cause) ?? cause;
        }
      }
    },
    close() {
      closed ??= pool.end();
      return closed;
    },
  };
}

const SETTINGS = {
  fallback_application_name: 'countersign',
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: ANSWER_MS,
  keepAlive: true,
  pipeline: true,
  // A BIGINT comes as a number; who reads it refuses one that is none any more.
  types: {
    getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
      oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
  },
} as const satisfies pg.PoolConfig;

function checkReadable(connectionString: string): void {
  try {
    // Made and thrown away: the pool would read it with its first connection only.
    new pg.Client({ connectionString });
  } catch {
    throw new Error('postgresStorage: the option `connectionString` cannot be read as a URL.');
  }
}

type Config = pg.QueryConfig & { readonly values: Value[] };

function queriesOf(query: (config: Config) => Promise<pg.QueryResult<Row>>): Queries {
  const ask = (statement: Statement, values: readonly Value[]) => {
    const named = typeof statement === 'string' ? { text: statement } : statement;
    return query({ ...named, values: values.map(storable) });
  };
  return {
    rows: async (statement, values) => (await ask(statement, values)).rows,
    row: async (statement, values) => (await ask(statement, values)).rows[0],
    run: async (statement, values) => (await ask(statement, values)).rowCount ?? 0,
  };
}

function transactionOf(client: pg.PoolClient, begun: Promise<unknown>): Transaction {
  const inside = queriesOf(async (config) => {
    await begun;
    return answered(client.query<Row>(config));
  });
  const { row: first } = queriesOf(async (config) => {
    const [result] = await Promise.all([answered(client.query<Row>(config)), begun]);
    return result;
  });
  return { ...inside, first };
}

/** Postgres keeps every character but NUL. In its place stands what a page would show for it. */
function storable(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}');
  if (typeof value !== 'object' || value === null) return value;
  return value.map((text) => text?.replaceAll('\0', '\u{FFFD}') ?? null);
}

/** An answer of the server, or its error as it is; anything else that goes wrong is a connection that is lost. */
async function answered<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (cause) {
    throw cause instanceof pg.DatabaseError || cause instanceof NewerSchemaError ? cause : lost(cause);
  }
}

function lost(cause: unknown): ServiceError {
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

const TAKEN_BACK = new Set(['40001', '40P01']);

/** A failed serialisation or a deadlock: rolled back for certain, and better luck the next time. */
function wasTakenBack(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && TAKEN_BACK.has(cause.code ?? '');
}

/**
 * Connections, resources, operators and locks: classes 08, 40, 53, 57, 58, a transaction that was silent for too long,
 * a server that only reads, a wait that was too long, and a sign-in that is refused.
 */
const UNREACHABLE = /^(08|28|40|53|57|58|25P03|25006|55P03|3D000)/;

function unreachable(cause: unknown): ServiceError | undefined {
  return cause instanceof pg.DatabaseError && UNREACHABLE.test(cause.code ?? '') ? lost(cause) : undefined;
}

const LIMITS = `SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MS}`;
const ATOMIC = `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMITS}`;
const DURABLE = `${ATOMIC};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;
const SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ; ${LIMITS}`;

type Verb<Arguments extends unknown[], Result> = (...args: Arguments) => Promise<Result>;

/** A verb that reads with one statement. */
export function reading<Arguments extends unknown[], Result>(
  db: Database,
  unit: (db: Queries, ...args: Arguments) => Promise<Result>,
): Verb<Arguments, Result> {
  return (...args) => unit(db, ...args);
}

/** A verb whose statements all see the same moment. What it writes nobody else has changed since. */
export function snapshot<Arguments extends unknown[], Result>(
  db: Database,
  unit: (tx: Transaction, ...args: Arguments) => Promise<Result>,
): Verb<Arguments, Result> {
  return (...args) => db.transact(SNAPSHOT, (tx) => unit(tx, ...args));
}

/**
 * A verb as one transaction. It begins with `lockOwner` where it decides from what it reads: each of its statements
 * sees what was committed before the statement, so nobody else may write what is this owner's in between.
 * Committed as the database is set: where that is `synchronous_commit = off`, a crash may undo the newest ones.
 */
export function atomic<Arguments extends unknown[], Result>(
  db: Database,
  unit: (tx: Transaction, ...args: Arguments) => Promise<Result>,
): Verb<Arguments, Result> {
  return (...args) => db.transact(ATOMIC, (tx) => unit(tx, ...args));
}

/**
 * The same, on the disk before it resolves, however the database is set. For what must not be forgotten once somebody
 * acted on it: an action's start and end, a decision, a key switched off.
 */
export function durable<Arguments extends unknown[], Result>(
  db: Database,
  unit: (tx: Transaction, ...args: Arguments) => Promise<Result>,
): Verb<Arguments, Result> {
  return (...args) => db.transact(DURABLE, (tx) => unit(tx, ...args));
}

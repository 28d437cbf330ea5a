import { hash } from 'node:crypto';
import pg from 'pg';
import { ServiceError } from '../../core/contract/errors.ts';
import type { Values } from '../rows/query.ts';
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

/** How statements are run, inside a transaction or alone. Their values are named by `@name`. */
export interface Queries {
  rows(statement: string, values: Values): Promise<readonly Row[]>;
  /** @returns how many rows were written */
  run(statement: string, values: Values): Promise<number>;
}

/** Statements that are called together are sent together, and run one after the other, behind the beginning. */
export interface Transaction extends Queries {
  /** Rolls back instead, and throws, when a statement before it failed. */
  commit(): Promise<void>;
}

export interface Database extends Queries {
  /**
   * Runs a unit between a beginning and the commit that it calls itself. A unit that Postgres took back runs again.
   * @throws what the unit throws, when everything was rolled back; ServiceError when the store cannot be reached
   */
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
      const [, result] = await inOrder(begun, unit(transactionOf(client)));
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
  const ask = (statement: string, values: Values) => {
    const { text, names, name } = compiled(statement);
    const config = { text, values: names.map((each) => storable(values[each])) };
    return query(name === undefined ? config : { ...config, name });
  };
  return {
    rows: async (statement, values) => (await ask(statement, values)).rows,
    run: async (statement, values) => (await ask(statement, values)).rowCount ?? 0,
  };
}

interface Compiled {
  readonly text: string;
  /** The values that it takes, in order. */
  readonly names: readonly string[];
  /** Of a statement that is prepared: one that names its columns, for another program may add some meanwhile. */
  readonly name: string | undefined;
}

const statements = new Map<string, Compiled>();

function compiled(statement: string): Compiled {
  const known = statements.get(statement);
  if (known !== undefined) return known;
  const names = [...new Set([...statement.matchAll(/@(\w+)/g)].map(([, name = '']) => name))];
  const text = statement.replaceAll(/@(\w+)/g, (_, name: string) => `$${names.indexOf(name) + 1}`);
  const hasEveryColumn = /SELECT \*|\w\.\*/.test(text);
  const name = hasEveryColumn ? undefined : `countersign-${hash('sha256', text).slice(0, 16)}`;
  const made = { text, names, name };
  statements.set(statement, made);
  return made;
}

function transactionOf(client: pg.PoolClient): Transaction {
  return {
    ...queriesOf((config) => answered(client.query<Row>(config))),
    async commit() {
      const { command } = await answered(client.query('COMMIT'));
      // This is how Postgres answers when a statement had failed before.
      if (command !== 'COMMIT')
        throw new Error('A transaction was to be committed after one of its statements failed.');
    },
  };
}

type Value = string | number | boolean | null | readonly string[];

/** Postgres keeps every character but NUL. In its place stands what a page would show for it. */
function storable(value: Values[string] | undefined): Value {
  if (value === undefined) throw new Error('A statement was not given one of its values.');
  if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}');
  if (typeof value !== 'object' || value === null) return value;
  return value.map((each) => String(each).replaceAll('\0', '\u{FFFD}'));
}

/**
 * Waits for statements that are sent together. A transaction refuses what comes after its first failure, so the first
 * one that failed is the cause.
 * @throws the error of the first promise, in the order of the arguments, that is rejected
 */
export async function inOrder<Sent extends readonly Promise<unknown>[]>(
  ...sent: Sent
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  await Promise.allSettled(sent);
  // All of them are settled now, so `all` meets them in their order.
  return Promise.all(sent);
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
/**
 * Committed as the database is set: where that is `synchronous_commit = off`, a crash may undo the newest ones. Each of
 * its statements sees what was committed before the statement: with the owner locked, nobody else writes in between.
 */
export const RELAXED = `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMITS}`;
/** On the disk before it resolves, however the database is set. */
export const DURABLE = `${RELAXED};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;
/** Its statements all see the same moment. */
export const SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ; ${LIMITS}`;

import { hash } from 'node:crypto';
import type pg from 'pg';
import type { ServiceError } from '../../core/contract/errors.ts';
import { unavailable } from '../../core/contract/unavailable.ts';
import type { Values } from '../../core/state/change.ts';
import type { DriverRow } from '../../core/state/query.ts';
import { AddressError, readAddress } from './address.ts';
import { pgDriver } from './driver.ts';
import { UnfitDatabaseError } from './fitness.ts';
import { CONNECT_MS, migrate } from './migrations.ts';

/** How long a transaction waits for another's. */
const LOCK_WAIT_MS = 5000;
/** After this time of silence the server ends a process's transaction and frees its locks. */
const SILENCE_MS = 15_000;
/** After this time without an answer to a statement, the connection is closed. */
const ANSWER_MS = 30_000;
/** How often a transaction is tried if Postgres rolls it back. */
const TRIES = 6;

/**
 * Runs statements, inside a transaction or alone. Their values are named by `@name` in the text. The driver's error
 * gets the statement's own name as its `statement`.
 */
export interface Statements {
  rows(name: string, text: string, values: Values): Promise<readonly DriverRow[]>;
  /** @returns the number of rows written */
  run(name: string, text: string, values: Values): Promise<number>;
}

/** Statements that are called together are sent together. They run one after the other, after the BEGIN. */
export interface Transaction extends Statements {
  /** Commits. If an earlier statement failed, rolls back and throws. */
  commit(): Promise<void>;
}

export interface Database extends Statements {
  /**
   * Runs a unit after `begin`; the unit calls `commit` itself. A unit that Postgres rolled back runs again.
   * @throws the unit's error once everything is rolled back; ServiceError if the store cannot be reached
   */
  transact<Result>(begin: string, unit: (tx: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Opens a database. Connects only at the first verb, which also upgrades the schema to this program's
 * version.
 * @throws Error if node-postgres cannot read the connection string, or reads something else than it says. It never repeats
 * the string, which may contain a password. Error that says what to install if pg is missing.
 */
export function openDatabase(given: string): Database {
  const { Pool } = pgDriver();
  const connectionString = readable(given);
  const pool = new Pool({ connectionString, ...SETTINGS });
  // A lost idle connection is replaced. If it cannot be, its next user gets the error.
  pool.on('error', () => undefined);
  let migrated: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  async function ready(): Promise<void> {
    migrated ??= orLostConnection(migrate(connectionString));
    try {
      await migrated;
    } catch (cause) {
      // The next verb tries again: the server may not have been reachable yet.
      migrated = undefined;
      throw unreachable(cause) ?? cause;
    }
  }

  /** @param use  calls `lose` if the connection cannot be used again */
  async function onConnection<Result>(
    use: (client: pg.PoolClient, lose: () => void) => Promise<Result>,
  ): Promise<Result> {
    const client = await orLostConnection(pool.connect());
    let isUsable = mayPrepare.has(client);
    const lose = () => {
      isUsable = false;
    };
    client.on('error', lose);
    try {
      if (!isUsable) {
        mayPrepare.set(client, await orLostConnection(isDirect(client)));
        isUsable = true;
      }
      return await use(client, lose);
    } finally {
      client.removeListener('error', lose);
      client.release(!isUsable);
    }
  }

  async function runAlone(statement: Sent): Promise<pg.QueryResult<DriverRow>> {
    await ready();
    try {
      return await onConnection(async (client, lose) => {
        try {
          return await send(client, statement);
        } catch (cause) {
          // The statement may still run.
          lose();
          throw cause;
        }
      });
    } catch (cause) {
      throw unreachable(cause) ?? cause;
    }
  }

  function attempt<Result>(begin: string, unit: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return onConnection(async (client, lose) => {
      try {
        const begun = orLostConnection(client.query(begin));
        const [, result] = await inOrder([begun, unit(transactionOf(client))]);
        return result;
      } catch (cause) {
        // If a transaction cannot be rolled back, its connection is closed. If its COMMIT failed, its outcome
        // is unknown.
        await client.query('ROLLBACK').catch(lose);
        throw cause;
      }
    });
  }

  return {
    ...statementsOf(runAlone),
    async transact(begin, unit) {
      await ready();
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(begin, unit);
        } catch (cause) {
          if (tries === TRIES || !isRetryable(cause)) throw unreachable(cause) ?? cause;
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
  // A BIGINT arrives as a number. Its reader refuses one that is not a safe integer.
  types: {
    getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown => {
      const { types } = pgDriver();
      return oid === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format);
    },
  },
} as const satisfies pg.PoolConfig;

/** The pool would parse the string with its first connection. */
function readable(given: string): string {
  try {
    return readAddress(given).connectionString;
  } catch (cause) {
    if (!(cause instanceof AddressError)) throw cause;
    throw new Error(`postgresStorage: the option \`connectionString\` ${cause.message}`, { cause });
  }
}

/** A statement with its values, in order. */
interface Sent extends Compiled {
  readonly name: string;
  readonly values: Value[];
}

function statementsOf(sendOne: (statement: Sent) => Promise<pg.QueryResult<DriverRow>>): Statements {
  const sent = (name: string, text: string, values: Values) => {
    const statement = compiled(text);
    return sendOne({
      ...statement,
      name,
      values: statement.valueNames.map((each) => storable(values[each])),
    });
  };
  return {
    rows: async (...statement) => (await sent(...statement)).rows,
    run: async (...statement) => (await sent(...statement)).rowCount ?? 0,
  };
}

async function send(client: pg.ClientBase, statement: Sent): Promise<pg.QueryResult<DriverRow>> {
  const { name, text, values, preparedName } = statement;
  const config = { text, values };
  const isPrepared = preparedName !== undefined && mayPrepare.get(client) === true;
  try {
    return await orLostConnection(
      client.query<DriverRow>(isPrepared ? { ...config, name: preparedName } : config),
    );
  } catch (cause) {
    throw cause instanceof pgDriver().DatabaseError ? Object.assign(cause, { statement: name }) : cause;
  }
}

/**
 * By connection, whether statements are prepared on it. A pooler in between, such as pgbouncer in transaction mode, runs
 * each transaction on any of its own connections, and those have other prepared statements.
 */
const mayPrepare = new WeakMap<pg.ClientBase, boolean>();

/**
 * Whether the server's process that answered the sign-in also runs the statements. A pooler answers a sign-in itself,
 * with a number of its own. This is known before the first statement. Errors of prepared statements would show a
 * pooler too late: once it changes the connection, in the middle of any later transaction.
 */
async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid === Reflect.get(client, 'processID');
}

interface Compiled {
  readonly text: string;
  /** The names of its values, in order. */
  readonly valueNames: readonly string[];
  /**
   * What it is called once prepared. Only statements that name their columns are prepared, because another
   * program may add columns meanwhile.
   */
  readonly preparedName: string | undefined;
}

const statements = new Map<string, Compiled>();

function compiled(statement: string): Compiled {
  const known = statements.get(statement);
  if (known !== undefined) return known;
  const valueNames = [...new Set([...statement.matchAll(/@(\w+)/g)].map(([, name = '']) => name))];
  const text = statement.replaceAll(/@(\w+)/g, (_, name: string) => `$${valueNames.indexOf(name) + 1}`);
  const hasEveryColumn = /SELECT \*|\w\.\*/.test(text);
  const preparedName = hasEveryColumn ? undefined : `countersign-${hash('sha256', text).slice(0, 16)}`;
  const made = { text, valueNames, preparedName };
  statements.set(statement, made);
  return made;
}

function transactionOf(client: pg.PoolClient): Transaction {
  return {
    ...statementsOf((statement) => send(client, statement)),
    async commit() {
      const { command } = await orLostConnection(client.query('COMMIT'));
      // This is Postgres's answer if an earlier statement had failed.
      if (command !== 'COMMIT')
        throw new Error('A transaction was to be committed after one of its statements failed.');
    },
  };
}

type Value = string | number | boolean | null | readonly string[];

/**
 * Postgres stores every character except NUL. NUL is replaced by the character that a page would show for it.
 */
function storable(value: Values[string] | undefined): Value {
  if (value === undefined) throw new Error('A statement was not given one of its values.');
  if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}');
  if (typeof value !== 'object' || value === null) return value;
  return value.map((each) => String(each).replaceAll('\0', '\u{FFFD}'));
}

/**
 * Waits for statements that are sent together. A transaction refuses what comes after its first failure, so the first
 * one that failed is the cause.
 * @throws the error of the first promise, in the order of the list, that is rejected
 */
export async function inOrder<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  await Promise.allSettled(sent);
  // All of them are settled now, so `all` meets them in their order.
  return Promise.all(sent);
}

/** Passes on the server's answer or error. Any other failure is a lost connection. */
async function orLostConnection<Answer>(query: Promise<Answer>): Promise<Answer> {
  try {
    return await query;
  } catch (cause) {
    throw cause instanceof pgDriver().DatabaseError || cause instanceof UnfitDatabaseError
      ? cause
      : unavailable(cause);
  }
}

const TAKEN_BACK = new Set(['40001', '40P01', '23505']);

/**
 * Whether Postgres certainly rolled back, and a repeat may succeed: after a failed serialisation, a deadlock, or a
 * unique value that another transaction has taken meanwhile, which the repeat then sees.
 */
function isRetryable(cause: unknown): boolean {
  return cause instanceof pgDriver().DatabaseError && TAKEN_BACK.has(cause.code ?? '');
}

/**
 * Connections, resources, operators and locks: classes 08, 40, 53, 57, 58; a transaction that was silent for
 * too long, a read-only server, a wait that was too long, and a refused sign-in.
 */
const UNREACHABLE = /^(08|28|40|53|57|58|25P03|25006|55P03|3D000)/;

function unreachable(cause: unknown): ServiceError | undefined {
  return cause instanceof pgDriver().DatabaseError && UNREACHABLE.test(cause.code ?? '')
    ? unavailable(cause)
    : undefined;
}

const LIMITS = `SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MS}`;
/**
 * Commits according to the database's setting: with `synchronous_commit = off`, a crash may undo the newest
 * commits. Each statement sees what was committed before it. While the owner is locked, nobody else writes in
 * between.
 */
export const RELAXED = `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMITS}`;
/** On disk before it resolves, whatever the database's setting. */
export const DURABLE = `${RELAXED};
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;
/** All its statements see the same moment. */
export const SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ; ${LIMITS}`;

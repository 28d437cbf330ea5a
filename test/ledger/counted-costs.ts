import { createRequire, syncBuiltinESMExports } from 'node:module';
import BetterSqlite from 'better-sqlite3';
import { ImapFlow } from 'imapflow';
import pg from 'pg';

/** Counts what calls cost at the edges: in the drivers and in the runtime. Nothing is timed. */

export const COSTS = [
  /** Statements of SQLite, with those that begin and end a transaction. */
  'statements',
  /** Rows inserted, changed or deleted, in either database. */
  'rowsWritten',
  /** Transactions of SQLite. Times that a process waits for Postgres: statements sent together count once. */
  'transactions',
  'roundTrips',
  'imapCommands',
  'hashedBytes',
  /** Objects of `Intl`. */
  'formatters',
  /** Controllers and signals, and the errors that aborting without a reason builds. */
  'signals',
  'abortErrors',
] as const;
export type Cost = (typeof COSTS)[number];
export type Counts = Readonly<Record<Cost, number>>;

type Method = (this: unknown, ...given: unknown[]) => unknown;

const counts: Record<Cost, number> = noCounts();

function noCounts(): Record<Cost, number> {
  return {
    statements: 0,
    rowsWritten: 0,
    transactions: 0,
    roundTrips: 0,
    imapCommands: 0,
    hashedBytes: 0,
    formatters: 0,
    signals: 0,
    abortErrors: 0,
  };
}

/** What the work costs. Only one may be counted at a time: everything in the process counts. */
export async function countedCosts(work: () => Promise<unknown>): Promise<Counts> {
  Object.assign(counts, noCounts());
  await work();
  return { ...counts };
}

/** Replaces a method by one that counts. */
function wrap(owner: object, name: string, around: (method: Method) => Method): void {
  const method: unknown = Reflect.get(owner, name);
  if (typeof method !== 'function') throw new Error(`there is no ${name} to count`);
  Object.defineProperty(owner, name, { value: around(method as Method), configurable: true, writable: true });
}

/** Replaces a class by one that counts its objects. */
function countObjects(owner: object, name: string, cost: Cost): void {
  const type: unknown = Reflect.get(owner, name);
  if (typeof type !== 'function') throw new Error(`there is no ${name} to count`);
  const counted = new Proxy(type, {
    construct(target, given, newTarget) {
      counts[cost] += 1;
      return Reflect.construct(target, given, newTarget) as object;
    },
  });
  Object.defineProperty(owner, name, { value: counted, configurable: true, writable: true });
}

/** Starts to count, for the rest of the process. Call it before the database is opened. */
export function countFromNowOn(): void {
  countSqlite();
  countPostgres();
  wrap(
    ImapFlow.prototype,
    'exec',
    (exec) =>
      function (...given) {
        counts.imapCommands += 1;
        return exec.apply(this, given);
      },
  );
  countHashes();
  for (const name of Object.getOwnPropertyNames(Intl)) {
    if (/^[A-Z]/.test(name)) countObjects(Intl, name, 'formatters');
  }
  countObjects(globalThis, 'AbortController', 'signals');
  for (const name of ['any', 'timeout', 'abort']) {
    wrap(
      AbortSignal,
      name,
      (make) =>
        function (...given) {
          counts.signals += 1;
          return make.apply(this, given);
        },
    );
  }
  wrap(
    AbortController.prototype,
    'abort',
    (abort) =>
      function (...given) {
        if (given[0] === undefined) counts.abortErrors += 1;
        return abort.apply(this, given);
      },
  );
}

function countSqlite(): void {
  const db = new BetterSqlite(':memory:');
  const statement: object = Object.getPrototypeOf(db.prepare('SELECT 1'));
  db.close();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    wrap(
      statement,
      name,
      (method) =>
        function (...given) {
          counts.statements += 1;
          const { source } = this as { source: string };
          if (/^BEGIN/.test(source)) counts.transactions += 1;
          const result = method.apply(this, given);
          if (name === 'run' && !/^(?:BEGIN|COMMIT)/.test(source)) {
            counts.rowsWritten += (result as { changes: number }).changes;
          }
          return result;
        },
    );
  }
  wrap(
    BetterSqlite.prototype,
    'exec',
    (exec) =>
      function (...given) {
        counts.statements += 1;
        return exec.apply(this, given);
      },
  );
}

const WRITES = /^\s*(?:WITH|INSERT|UPDATE|DELETE)\b/i;

function countPostgres(): void {
  /** How many statements of a client have no answer yet. */
  const pending = new WeakMap<object, number>();
  wrap(
    pg.Client.prototype,
    'query',
    (query) =>
      function (...given) {
        const client = this as object;
        const before = pending.get(client) ?? 0;
        if (before === 0) counts.roundTrips += 1;
        pending.set(client, before + 1);
        const text = typeof given[0] === 'string' ? given[0] : (given[0] as { text: string }).text;
        const answered = (result: unknown) => {
          pending.set(client, (pending.get(client) ?? 1) - 1);
          const { command, rowCount } = (result ?? {}) as { command?: string; rowCount?: number };
          if (WRITES.test(text) && command !== 'SELECT') counts.rowsWritten += rowCount ?? 0;
        };
        const callback = given.at(-1);
        if (typeof callback === 'function') {
          const counted = (error: unknown, result: unknown) => {
            answered(result);
            (callback as Method)(error, result);
          };
          return query.apply(this, [...given.slice(0, -1), counted]);
        }
        const result = query.apply(this, given) as Promise<unknown>;
        result.then(answered, () => answered(undefined));
        return result;
      },
  );
}

function countHashes(): void {
  const crypto: object = createRequire(import.meta.url)('node:crypto');
  const add = (data: unknown) => {
    counts.hashedBytes +=
      typeof data === 'string' ? Buffer.byteLength(data) : (data as Uint8Array).byteLength;
  };
  wrap(
    crypto,
    'hash',
    (hash) =>
      function (...given) {
        add(given[1]);
        return hash.apply(this, given);
      },
  );
  for (const name of ['Hash', 'Hmac']) {
    const { prototype } = Reflect.get(crypto, name) as { prototype: object };
    wrap(
      prototype,
      'update',
      (update) =>
        function (...given) {
          add(given[0]);
          return update.apply(this, given);
        },
    );
  }
  syncBuiltinESMExports();
}

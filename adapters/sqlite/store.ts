import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { AnyChange, Store } from '../../core/ports/store.ts';
import type { RowChange, Values } from '../../core/state/change.ts';
import type { Commit, Verdict } from '../../core/state/store.ts';
import { loadOf } from '../sql/declared-load.ts';
import { SQLITE } from '../sql/dialect.ts';
import { factsOf } from '../sql/facts.ts';
import { sqlLookups } from '../sql/lookups.ts';
import { type Load, nameAndText, readResults } from '../sql/query.ts';
import { integer, type Row, text } from '../sql/row.ts';
import { namedTexts } from '../sql/statement-text.ts';
import { eraseValues, orReplace, writesOf, writeText } from '../sql/writes.ts';
import {
  ERASE,
  ERASE_ACTIVITY,
  ERASE_CHECKPOINTS,
  ERASED_AT_ONCE,
  STATEMENTS,
  WRITES,
} from './statements.ts';
import { transactionsOn } from './transactions.ts';

type Plain = string | number | null;

/** A statement ready to run: its values go in by position. */
interface Ready {
  /** The name of the value at each position. */
  readonly names: readonly string[];
  all(values: Plain[]): Row[];
  /** @returns the number of rows that it changed */
  run(values: Plain[]): number;
}

/**
 * Runs both halves of a unit in one synchronous transaction: the judge runs between its statements.
 * @param storeNowMs  the store's clock; read inside the transaction, which may have waited for another
 */
export function sqliteStore(db: Database, storeNowMs: () => number): Store {
  // Each when it is first needed: all of them take 6 ms.
  const prepared = new Map<string, Ready>();
  const prepare = (text: string): Ready => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const made = readyStatement(db, text);
    prepared.set(text, made);
    return made;
  };

  function answer<Answer>(load: Load<Answer>, nowMs: number): Answer {
    const clock = { storeNowMs: nowMs, store_now_ms: nowMs };
    const results = load.queries.map((query) => {
      const ready = prepare(nameAndText(query, STATEMENTS).text);
      return ready.all(bound(ready.names, query.values, clock));
    });
    return readResults(load, results);
  }

  function run(text: string, values: Values, key: Values = {}): number {
    const ready = prepare(text);
    return ready.run(bound(ready.names, values, key));
  }

  function putRows({ table, key, rows: [first, ...others] }: Extract<RowChange, { op: 'put_rows' }>): number {
    if (first === undefined) return 0;
    const columns = Object.keys(first);
    const places = columns.map((column) => `@${column}`).join(', ');
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ${orReplace(key, columns)}`;
    for (const row of [first, ...others]) run(text, row);
    return 1 + others.length;
  }

  function write(one: RowChange): number {
    if (one.op === 'run') return commandTexts(one.statement).reduce((_, text) => run(text, one.values), 0);
    if (one.op === 'put_rows') return putRows(one);
    return run(writeText(one, ''), one.op === 'delete' ? {} : one.values, one.key);
  }

  function apply(changes: readonly AnyChange[]): void {
    for (const change of changes) for (const one of writesOf(change)) write(one);
  }

  const { reading, together, durable, emptyLog, close } = transactionsOn(db);
  /** A single statement sees a single moment. */
  const lookUp = <Answer>(load: Load<Answer>): Promise<Answer> => {
    const look = () => answer(load, storeNowMs());
    return reading(load.queries.length === 1 ? look : db.transaction(look))();
  };

  async function unit<Facts, Answer>(
    commit: Commit,
    load: Load<Facts>,
    judge: (facts: Facts, storeNowMs: number) => Verdict<Answer, AnyChange>,
  ): Promise<Answer> {
    let changes: readonly AnyChange[] = [];
    const work = () => {
      const nowMs = storeNowMs();
      const judged = judge(answer(load, nowMs), nowMs);
      changes = judged.changes;
      apply(changes);
      return judged.answer;
    };
    const done = await (commit === 'durable' ? durable(work)() : together(work)());
    // Otherwise the log would contain the sealed settings until others overwrite them. A reader can delay this.
    if (changes.some(leavesSecrets)) await emptyLog();
    return done;
  }

  return {
    ...sqlLookups(lookUp),

    unit: (commit, need, judge) => unit(commit, factsOf(need), judge),
    ownerUnit: (commit, _ownerId, queries, judge) => unit(commit, loadOf(queries, SQLITE), judge),
    countersUnit: (commit, _lock, queries, judge) => unit(commit, loadOf(queries, SQLITE), judge),
    look: (queries) => lookUp(loadOf(queries, SQLITE)),
    otherWork: setImmediate,
    apply: (_ownerId, changes) => together(() => apply(changes))(),
    execute: durable((changes) => changes.map(write)),
    erase: together((before) => {
      const values = eraseValues(before);
      const erased = ERASE.map((one) => run(one, values));
      const activity = prepare(ERASE_ACTIVITY);
      const rows = activity.all(bound(activity.names, values, {}));
      const lastIds = new Map<string, number>();
      for (const row of rows) {
        const ownerId = text(row, 'owner_id');
        lastIds.set(ownerId, Math.max(lastIds.get(ownerId) ?? 0, integer(row, 'activity_id')));
      }
      for (const [ownerId, lastId] of lastIds) run(ERASE_CHECKPOINTS, values, { ownerId, lastId });
      return [rows.length, ...erased].some((count) => count >= ERASED_AT_ONCE);
    }),
    close: async () => {
      close();
    },
  };
}

/** Whether a change removes what must not stay in the log. */
function leavesSecrets(change: AnyChange): boolean {
  if ('op' in change) return change.op === 'delete' && change.table === 'owners';
  return ['remove_account', 'forget_health'].includes(change.type);
}

function commandTexts(name: string): readonly string[] {
  const older: Readonly<Record<string, readonly string[] | undefined>> = WRITES;
  return older[name] ?? namedTexts(name, SQLITE);
}

function readyStatement(db: Database, text: string): Ready {
  const names = [...text.matchAll(/@(\w+)/g)].map(([, name = '']) => name);
  const statement = db.prepare<[Plain[]], Row>(text.replaceAll(/@\w+/g, '?'));
  const run = (values: Plain[]) => statement.run(values).changes;
  // With a `*`, a newer process can add a column to the rows at any time.
  if (!statement.reader || text.includes('*')) return { names, all: (values) => statement.all(values), run };
  // Rows as arrays cost half of what the driver's objects do.
  const columns = statement.columns().map(({ name }) => name);
  const arrays = db.prepare<[Plain[]], Plain[]>(statement.source).raw();
  return { names, run, all: (values) => arrays.all(values).map((row) => rowOf(columns, row)) };
}

function rowOf(columns: readonly string[], values: readonly Plain[]): Row {
  const row: Record<string, Plain | undefined> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}

/** SQLite has no booleans and no arrays: the first become 0 and 1, the second JSON. */
function bound(names: readonly string[], values: Values, more: Values): Plain[] {
  const plain: Plain[] = [];
  for (const name of names) {
    const value = values[name];
    plain.push(plainly(value === undefined ? more[name] : value));
  }
  return plain;
}

function plainly(value: Values[string] | undefined): Plain {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) throw new Error('A statement lacks one of its values.');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

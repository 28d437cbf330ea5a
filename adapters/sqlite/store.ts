import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { RowChange, Values } from '../../core/state/change.ts';
import { integer, text } from '../../core/state/column.ts';
import {
  type DriverRow,
  type Queries,
  type Query,
  type ResultsOf,
  resultsOf,
} from '../../core/state/query.ts';
import type { Commit, StateStore, Verdict } from '../../core/state/store.ts';
import { SQLITE } from '../sql/dialect.ts';
import { ERASED_AT_ONCE, eraseValues } from '../sql/erase-text.ts';
import { namedTexts, queryText } from '../sql/statement-text.ts';
import { orReplace, writeText } from '../sql/write-text.ts';
import { ERASE, ERASE_ACTIVITY, ERASE_CHECKPOINTS, ERASE_SAMPLES } from './erasing.ts';
import { transactionsOn } from './transactions.ts';

type Plain = string | number | null;

/** A statement ready to run: its values go in by position. */
interface Ready {
  /** The name of the value at each position. */
  readonly names: readonly string[];
  all(values: Plain[]): DriverRow[];
  /** @returns the number of rows that it changed */
  run(values: Plain[]): number;
}

/**
 * Runs both halves of a unit in one synchronous transaction: the judge runs between its statements.
 * @param storeNowMs  the store's clock; read inside the transaction, which may have waited for another
 */
export function sqliteStore(db: Database, storeNowMs: () => number): StateStore {
  // Each when it is first needed: all of them take 6 ms.
  const prepared = new Map<string, Ready>();
  const prepare = (text: string): Ready => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const made = readyStatement(db, text);
    prepared.set(text, made);
    return made;
  };

  function rows({ statement, values }: Query<unknown>, nowMs: number): readonly DriverRow[] {
    const ready = prepare(queryText(statement, SQLITE));
    return ready.all(bound(ready.names, values, { store_now_ms: nowMs }));
  }

  function answer<Asked extends Queries>(queries: Asked, nowMs: number): ResultsOf<Asked> {
    return resultsOf(
      queries,
      Object.values(queries).map((query) => rows(query, nowMs)),
    );
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
    if (one.op === 'run')
      return namedTexts(one.statement, SQLITE).reduce((_, text) => run(text, one.values), 0);
    if (one.op === 'put_rows') return putRows(one);
    return run(writeText(one, ''), one.op === 'delete' ? {} : one.values, one.key);
  }

  const { reading, together, durable, emptyLog, close } = transactionsOn(db);

  async function unit<Asked extends Queries, Answer>(
    commit: Commit,
    queriesAt: (nowMs: number) => Asked,
    judge: (found: ResultsOf<Asked>, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer> {
    let changes: readonly RowChange[] = [];
    const work = () => {
      const nowMs = storeNowMs();
      const judged = judge(answer(queriesAt(nowMs), nowMs), nowMs);
      changes = judged.changes;
      for (const one of changes) write(one);
      return judged.answer;
    };
    const done = await (commit === 'durable' ? durable(work)() : together(work)());
    // Otherwise the log would contain the sealed settings until others overwrite them. A reader can delay this.
    if (changes.some(leavesSecrets)) await emptyLog();
    return done;
  }

  return {
    unit: (commit, _lock, queries, judge) => unit(commit, () => queries, judge),
    dueUnit: (commit, owners, queries, judge) => {
      const of = (nowMs: number) => owners.read(rows(owners, nowMs)).map(({ ownerId }) => ownerId);
      return unit(commit, (nowMs) => queries(of(nowMs), new Date(nowMs)), judge);
    },
    /** A single statement sees a single moment. */
    look: (queries) => {
      const look = () => answer(queries, storeNowMs());
      return reading(Object.keys(queries).length === 1 ? look : db.transaction(look))();
    },
    otherWork: setImmediate,
    apply: (_ownerId, changes) =>
      together(() => {
        for (const one of changes) write(one);
      })(),
    execute: durable((changes) => changes.map(write)),
    erase: together((before) => {
      run(ERASE_SAMPLES, {});
      const values = eraseValues(before);
      const erased = ERASE.map((one) => run(one, values));
      const activity = prepare(ERASE_ACTIVITY);
      const gone = activity.all(bound(activity.names, values, {}));
      const lastIds = new Map<string, number>();
      for (const { owner_id, activity_id } of gone) {
        const [ownerId, lastId] = [text().read(owner_id), integer().read(activity_id)];
        lastIds.set(ownerId, Math.max(lastIds.get(ownerId) ?? 0, lastId));
      }
      for (const [owner_id, last_id] of lastIds) run(ERASE_CHECKPOINTS, values, { owner_id, last_id });
      return [gone.length, ...erased].some((count) => count >= ERASED_AT_ONCE);
    }),
    close,
  };
}

/** Whether a change removes what must not stay in the log. */
function leavesSecrets(change: RowChange): boolean {
  return change.op === 'delete' && ['accounts', 'account_health', 'owners'].includes(change.table);
}

function readyStatement(db: Database, text: string): Ready {
  const names = [...text.matchAll(/@(\w+)/g)].map(([, name = '']) => name);
  const statement = db.prepare<[Plain[]], DriverRow>(text.replaceAll(/@\w+/g, '?'));
  const run = (values: Plain[]) => statement.run(values).changes;
  if (!statement.reader) return { names, all: (values) => statement.all(values), run };
  // Rows as arrays cost half of what the driver's objects do.
  const columns = statement.columns().map(({ name }) => name);
  const arrays = db.prepare<[Plain[]], Plain[]>(statement.source).raw();
  // A copy has its properties already: adding them one by one costs more.
  const empty = Object.fromEntries(columns.map((column) => [column, null]));
  return { names, run, all: (values) => arrays.all(values).map((row) => rowOf(empty, columns, row)) };
}

function rowOf(
  empty: Readonly<Record<string, Plain>>,
  columns: readonly string[],
  values: readonly Plain[],
): DriverRow {
  const row: Record<string, Plain | undefined> = { ...empty };
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

import { setImmediate } from 'node:timers/promises';
import type { AnyChange, Store } from '../../core/ports/store.ts';
import type { RowChange, Values } from '../../core/state/change.ts';
import type { Commit, Verdict } from '../../core/state/store.ts';
import { loadOf } from '../sql/declared-load.ts';
import { POSTGRES } from '../sql/dialect.ts';
import { factsOf } from '../sql/facts.ts';
import { sqlLookups } from '../sql/lookups.ts';
import { type Load, nameAndText, readResults } from '../sql/query.ts';
import { integer } from '../sql/row.ts';
import { namedTexts } from '../sql/statement-text.ts';
import { eraseValues, orReplace, writesOf, writeText } from '../sql/writes.ts';
import {
  type Database,
  DURABLE,
  inOrder,
  type Queries,
  RELAXED,
  SNAPSHOT,
  type Transaction,
} from './database.ts';
import { type Locked, lockCounters, lockFor, lockOwner } from './lock.ts';
import { ERASE, ERASE_ACTIVITY, ERASED_AT_ONCE, LOCK_ERASING, STATEMENTS, WRITES } from './statements.ts';

/** A unit takes two round trips: one to begin, lock and load, one to write and commit. */
export function postgresStore(db: Database): Store {
  async function lookUp<Answer>(load: Load<Answer>): Promise<Answer> {
    // A single statement sees a single moment.
    if (load.queries.length === 1) return answer(db, load, {});
    return db.transact(SNAPSHOT, async (tx) => {
      const [found] = await inOrder([answer(tx, load, {}), tx.commit()]);
      return found;
    });
  }

  /** @param lock  locks what the unit needs; undefined: there is nothing to do */
  function unit<Facts, Answer>(
    commit: Commit,
    lock: (tx: Transaction) => Promise<Locked | undefined> | Locked,
    load: Load<Facts>,
    judge: (facts: Facts, storeNowMs: number) => Verdict<Answer, AnyChange>,
  ): Promise<Answer> {
    return db.transact(commit === 'durable' ? DURABLE : RELAXED, async (tx) => {
      const locked = await lock(tx);
      const [nowMs, facts] =
        locked === undefined
          ? [
              0,
              readResults(
                load,
                load.queries.map(() => []),
              ),
            ]
          : await inOrder([locked.nowMs, answer(tx, load, locked.values)]);
      const judged = judge(facts, nowMs);
      await inOrder([write(tx, judged.changes.flatMap(writesOf)), tx.commit()]);
      return judged.answer;
    });
  }

  return {
    ...sqlLookups(lookUp),
    unit: (commit, need, judge) => unit(commit, (tx) => lockFor(tx, need), factsOf(need), judge),
    ownerUnit: (commit, ownerId, queries, judge) => {
      const lock = (tx: Transaction) => ({ nowMs: lockOwner(tx, ownerId), values: {} });
      return unit(commit, lock, loadOf(queries, POSTGRES), judge);
    },
    countersUnit: (commit, lock, queries, judge) =>
      unit(commit, (tx) => ({ nowMs: lockCounters(tx, lock), values: {} }), loadOf(queries, POSTGRES), judge),
    look: (queries) => lookUp(loadOf(queries, POSTGRES)),

    otherWork: setImmediate,

    apply: (ownerId, changes) =>
      db.transact(RELAXED, async (tx) => {
        const writes = changes.flatMap(writesOf);
        await inOrder([lockOwner(tx, ownerId), write(tx, writes), tx.commit()]);
      }),

    execute: (changes) =>
      db.transact(DURABLE, async (tx) => {
        const [counts] = await inOrder([write(tx, changes), tx.commit()]);
        return counts;
      }),

    erase: (before) =>
      db.transact(RELAXED, async (tx) => {
        const values = eraseValues(before);
        const [, [activity], counts] = await inOrder([
          tx.rows('lock_erasing', LOCK_ERASING, {}),
          tx.rows('erase_activity', ERASE_ACTIVITY, values),
          inOrder(ERASE.map((one) => tx.run('erase', one, values))),
          tx.commit(),
        ]);
        return [integer(activity ?? {}, 'erased'), ...counts].some((count) => count >= ERASED_AT_ONCE);
      }),

    close: () => db.close(),
  };
}

async function answer<Answer>(db: Queries, load: Load<Answer>, more: Values): Promise<Answer> {
  const found = load.queries.map((query) => {
    const { name, text } = nameAndText(query, STATEMENTS);
    return db.rows(name, text, { ...query.values, ...more });
  });
  return readResults(load, await inOrder(found));
}

/** @returns how many rows each changed */
function write(tx: Transaction, writes: readonly RowChange[]): Promise<readonly number[]> {
  return inOrder(
    writes.map(async (one) => {
      if (one.op === 'run') return command(tx, one);
      if (one.op === 'put_rows') return putRows(tx, one);
      const values = one.op === 'delete' ? one.key : { ...one.key, ...one.values };
      return tx.run(`${one.op}_${one.table}`, writeText(one, 'countersign.'), values);
    }),
  );
}

async function command(
  tx: Transaction,
  { statement, values }: Extract<RowChange, { op: 'run' }>,
): Promise<number> {
  const older: Readonly<Record<string, string | undefined>> = WRITES;
  const text = older[statement];
  const texts = text === undefined ? namedTexts(statement, POSTGRES) : [text];
  const counts = await inOrder(texts.map((one) => tx.run(statement, one, values)));
  return counts.at(-1) ?? 0;
}

/** Puts all rows with one statement. */
async function putRows(
  tx: Transaction,
  { table, key, rows }: Extract<RowChange, { op: 'put_rows' }>,
): Promise<number> {
  const columns = Object.keys(rows[0] ?? {});
  const names = columns.join(', ');
  const text = `
    INSERT INTO countersign.${table} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::countersign.${table}, @rows::json) ${orReplace(key, columns)}`;
  return columns.length === 0 ? 0 : tx.run(`put_rows_${table}`, text, { rows: JSON.stringify(rows) });
}

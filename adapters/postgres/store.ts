import { setImmediate } from 'node:timers/promises';
import type { RowChange } from '../../core/state/change.ts';
import { integer } from '../../core/state/column.ts';
import { type Queries, type ResultsOf, resultsOf } from '../../core/state/query.ts';
import type { Commit, StateStore, Verdict } from '../../core/state/store.ts';
import { POSTGRES } from '../sql/dialect.ts';
import { ERASED_AT_ONCE, eraseValues } from '../sql/erase-text.ts';
import { namedTexts, queryText } from '../sql/statement-text.ts';
import { orReplace, writeText } from '../sql/write-text.ts';
import {
  type Database,
  DURABLE,
  inOrder,
  RELAXED,
  SNAPSHOT,
  type Statements,
  type Transaction,
} from './database.ts';
import { ERASE, ERASE_ACTIVITY, LOCK_ERASING } from './erasing.ts';
import { lockDue, lockFor } from './lock.ts';

/** A unit takes two round trips: one to begin, lock and load, one to write and commit. */
export function postgresStore(db: Database): StateStore {
  return {
    unit: (commit, lock, queries, judge) =>
      db.transact(beginOf(commit), async (tx) => {
        // What is sent behind the lock sees everything that it waited for.
        const [nowMs, found] = await inOrder([lockFor(tx, lock), answer(tx, queries)]);
        return written(tx, judge(found, nowMs));
      }),
    dueUnit: (commit, owners, queries, judge) =>
      db.transact(beginOf(commit), async (tx) => {
        const text = queryText(owners.statement, POSTGRES);
        const due = owners.read(await tx.rows(owners.statement.name, text, owners.values));
        const { ownerIds, nowMs } = await lockDue(
          tx,
          due.map(({ ownerId }) => ownerId),
        );
        const asked = queries(ownerIds, new Date(nowMs));
        const found =
          ownerIds.length === 0
            ? resultsOf(
                asked,
                Object.keys(asked).map(() => []),
              )
            : await answer(tx, asked);
        return written(tx, judge(found, nowMs));
      }),

    async look(queries) {
      // A single statement sees a single moment.
      if (Object.keys(queries).length === 1) return answer(db, queries);
      return db.transact(SNAPSHOT, async (tx) => {
        const [found] = await inOrder([answer(tx, queries), tx.commit()]);
        return found;
      });
    },

    otherWork: setImmediate,

    apply: (ownerId, changes) =>
      db.transact(RELAXED, async (tx) => {
        await inOrder([lockFor(tx, { ownerId }), write(tx, changes), tx.commit()]);
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
        return [integer().read(activity?.erased), ...counts].some((count) => count >= ERASED_AT_ONCE);
      }),

    close: () => db.close(),
  };
}

function beginOf(commit: Commit): string {
  return commit === 'durable' ? DURABLE : RELAXED;
}

async function answer<Asked extends Queries>(db: Statements, queries: Asked): Promise<ResultsOf<Asked>> {
  const found = Object.values(queries).map(({ statement, values }) =>
    db.rows(statement.name, queryText(statement, POSTGRES), values),
  );
  return resultsOf(queries, await inOrder(found));
}

/** Writes what was judged, and commits. @returns the answer */
async function written<Answer>(
  tx: Transaction,
  { answer: judged, changes }: Verdict<Answer>,
): Promise<Answer> {
  await inOrder([write(tx, changes), tx.commit()]);
  return judged;
}

/** @returns how many rows each changed */
function write(tx: Transaction, changes: readonly RowChange[]): Promise<readonly number[]> {
  return inOrder(
    changes.map((one) => {
      if (one.op === 'run') return command(tx, one);
      if (one.op === 'put_rows') return putRows(tx, one);
      const values = one.op === 'delete' ? one.key : { ...one.key, ...one.values };
      return tx.run(`${one.op}_${one.table}`, writeText(one, POSTGRES.prefix), values);
    }),
  );
}

async function command(
  tx: Transaction,
  { statement, values }: Extract<RowChange, { op: 'run' }>,
): Promise<number> {
  const counts = await inOrder(
    namedTexts(statement, POSTGRES).map((text) => tx.run(statement, text, values)),
  );
  return counts.at(-1) ?? 0;
}

/** Puts all rows with one statement. */
async function putRows(
  tx: Transaction,
  { table, key, rows }: Extract<RowChange, { op: 'put_rows' }>,
): Promise<number> {
  const columns = Object.keys(rows[0] ?? {});
  const names = columns.join(', ');
  const into = `${POSTGRES.prefix}${table}`;
  const text = `
    INSERT INTO ${into} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${into}, @rows::json) ${orReplace(key, columns)}`;
  return columns.length === 0 ? 0 : tx.run(`put_rows_${table}`, text, { rows: JSON.stringify(rows) });
}

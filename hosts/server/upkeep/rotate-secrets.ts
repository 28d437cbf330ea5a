import { Buffer } from 'node:buffer';
import { type Keyring, keyIdOf } from '../../../core/secrets/keyring.ts';
import type { Values } from '../../../core/state/change.ts';
import type { DriverRow } from '../../../core/state/query.ts';
import { SEALED_COLUMNS, type SealedColumn, sealedTextIn, textIn } from './sealed-columns.ts';

/** What the rotation needs of a database. */
export interface RotatingDatabase {
  /** What the names of its tables start with. */
  readonly schema: string;
  /** Runs statements with values by `@name` in one durable transaction. It may run again. */
  transact<Answer>(work: (tx: RotatingTransaction) => Promise<Answer>): Promise<Answer>;
}

export interface RotatingTransaction {
  rows(statement: string, values: Values): Promise<readonly DriverRow[]>;
  /** @returns the number of rows that it changed */
  run(statement: string, values: Values): Promise<number>;
}

export interface RotationEnd {
  /** The number of values that this run renewed. */
  readonly renewed: number;
  /** The number of values that still need another key than the writing one, by table. Empty: the rotation is complete. */
  readonly left: Readonly<Record<string, number>>;
}

/** Rows per transaction. Plans may have megabytes. */
const ROWS_AT_ONCE = 20;
/** A server may write with the old key while its rows are renewed. One that goes on does not have the new key. */
const ROUNDS_MAX = 3;
/** The characters of a sealed text that follow from its key's id alone. */
const ID_CHARS = 5;

/**
 * Renews every value that was not sealed or signed with the writing key, a few rows per transaction. Others may use the
 * database meanwhile, with the same keys. After a kill, the next run continues: what is renewed is skipped.
 */
export async function rotateSecrets(database: RotatingDatabase, keyring: Keyring): Promise<RotationEnd> {
  let renewed = 0;
  for (let round = 1; ; round += 1) {
    const left: Record<string, number> = {};
    let ofRound = 0;
    for (const column of SEALED_COLUMNS) {
      const end = await rotateColumn(database, keyring, column);
      ofRound += end.renewed;
      if (end.left > 0) left[column.table] = (left[column.table] ?? 0) + end.left;
    }
    renewed += ofRound;
    // A round that renews nothing has seen that nothing is left.
    if (ofRound === 0) return { renewed, left };
    if (round === ROUNDS_MAX) return { renewed, left: { ...left, written_meanwhile: ofRound } };
  }
}

async function rotateColumn(
  database: RotatingDatabase,
  keyring: Keyring,
  column: SealedColumn,
): Promise<{ readonly renewed: number; readonly left: number }> {
  let after: DriverRow | undefined;
  let [renewed, left] = [0, 0];
  do {
    const unit = await database.transact((tx) => rotateRows(tx, database.schema, keyring, column, after));
    renewed += unit.renewed;
    left += unit.left;
    after = unit.last;
  } while (after !== undefined);
  return { renewed, left };
}

/** @param after  the row before the first one */
async function rotateRows(
  tx: RotatingTransaction,
  schema: string,
  keyring: Keyring,
  sealedColumn: SealedColumn,
  after: DriverRow | undefined,
): Promise<{ readonly renewed: number; readonly left: number; readonly last: DriverRow | undefined }> {
  const { table, column, key, sealedIn, renewed: renew } = sealedColumn;
  const [writing = ''] = keyring.keyIds;
  const mark = Buffer.from(writing, 'hex').toString('base64url').slice(0, ID_CHARS);
  const conditions = [
    `${column} IS NOT NULL`,
    ...(sealedIn === undefined ? [`substr(${column}, 1, ${ID_CHARS}) <> @mark`] : []),
    ...(after === undefined ? [] : [`(${key.join(', ')}) > (${key.map((name) => `@${name}`).join(', ')})`]),
  ];
  const rows = await tx.rows(
    `SELECT * FROM ${schema}${table} WHERE ${conditions.join(' AND ')} ORDER BY ${key.join(', ')} LIMIT ${ROWS_AT_ONCE}`,
    { mark, ...(after === undefined ? {} : valuesOf(after, key)) },
  );
  let [renewed, left] = [0, 0];
  for (const row of rows) {
    const before = textIn(row, column);
    const sealed = sealedTextIn(sealedColumn, before);
    if (sealed === null || keyIdOf(sealed) === writing) continue;
    const value = valueOrUndefined(() => renew(row, keyring));
    if (value === undefined) {
      left += 1;
      continue;
    }
    // A value that was written meanwhile is not replaced.
    const same = [...key.map((name) => `${name} = @${name}`), `${column} = @before`].join(' AND ');
    const statement = `UPDATE ${schema}${table} SET ${column} = @value WHERE ${same}`;
    renewed += await tx.run(statement, { ...valuesOf(row, key), before, value });
  }
  return { renewed, left, last: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1) };
}

/** Undefined: the value cannot be opened, or its row was changed. It stays as it is, and is counted. */
function valueOrUndefined(renew: () => string | null): string | undefined {
  try {
    return renew() ?? undefined;
  } catch {
    return undefined;
  }
}

function valuesOf(row: DriverRow, key: readonly string[]): Values {
  return Object.fromEntries(
    key.map((name) => {
      const value = row[name];
      if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`${name} is not a key`);
      return [name, value];
    }),
  );
}

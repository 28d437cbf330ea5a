import type { RowChange } from '../../core/state/change.ts';

type RowWrite = Exclude<RowChange, { op: 'run' | 'put_rows' }>;

const texts = new Map<string, string>();

/**
 * Returns the text of a write that is the same in every dialect. @param prefix  before the name of a table
 */
export function writeText(write: RowWrite, prefix: string): string {
  const key = Object.keys(write.key);
  const values = write.op === 'delete' ? [] : Object.keys(write.values);
  const shape = `${write.op} ${prefix}${write.table} ${key.join()} ${values.join()}`;
  const known = texts.get(shape);
  if (known !== undefined) return known;
  const made = textOf(write.op, `${prefix}${write.table}`, key, values);
  texts.set(shape, made);
  return made;
}

function textOf(
  op: RowWrite['op'],
  table: string,
  key: readonly string[],
  values: readonly string[],
): string {
  const where = key.map((column) => `${column} = @${column}`).join(' AND ');
  if (op === 'delete') return `DELETE FROM ${table} WHERE ${where}`;
  const set = values.map((column) => `${column} = @${column}`).join(', ');
  if (op === 'update') return `UPDATE ${table} SET ${set} WHERE ${where}`;
  const columns = [...key, ...values];
  const places = columns.map((column) => `@${column}`).join(', ');
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  return op === 'insert' ? insert : `${insert} ${orReplace(key, values)}`;
}

/** The end of an insert that sets the columns if the key exists. */
export function orReplace(key: readonly string[], columns: readonly string[]): string {
  const excluded = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${excluded}`;
}

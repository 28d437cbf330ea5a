import type { Query, Statement } from '../../core/state/query.ts';
import { columnName } from '../../core/state/table.ts';
import type { Dialect } from './dialect.ts';
import { EVENT_NUMBER_TEXTS } from './event-number-texts.ts';
import { NOTICE_TEXTS } from './notice-texts.ts';
import { READ_TEXTS } from './read-texts.ts';

/** Every text that does not follow from a table. */
export const TEXTS: Readonly<Record<string, (dialect: Dialect) => string>> = {
  ...EVENT_NUMBER_TEXTS,
  ...NOTICE_TEXTS,
  ...READ_TEXTS,
};

/** @throws Error if nobody wrote a statement of this name */
export function namedText(name: string, dialect: Dialect): string {
  const text = TEXTS[name];
  if (text === undefined) throw new Error(`The statement ${name} has no text.`);
  return text(dialect);
}

const selected = new WeakMap<Dialect, WeakMap<Statement, string>>();

export function queryText({ statement }: Pick<Query<unknown>, 'statement'>, dialect: Dialect): string {
  const known = selected.get(dialect)?.get(statement);
  if (known !== undefined) return known;
  const made =
    statement.selection === undefined ? namedText(statement.name, dialect) : selectText(statement, dialect);
  const texts = selected.get(dialect) ?? new WeakMap<Statement, string>();
  selected.set(dialect, texts.set(statement, made));
  return made;
}

function selectText(
  { columns, selection }: Statement,
  { prefix, by: withIndex, among: isAmong }: Dialect,
): string {
  if (selection === undefined) throw new Error('It selects nothing.');
  const { table, by, among, order, index } = selection;
  const named = (properties: readonly string[]) => properties.map((one) => columnName(table, one));
  const where = named(by).map((column) => `${column} = @${column}`);
  if (among !== undefined) {
    const [column, type] = [columnName(table, among), table.columns[among]?.type ?? 'text'];
    where.push(isAmong(column, `${column}_list`, type));
  }
  const sorted = order.length === 0 ? '' : ` ORDER BY ${named(order).join(', ')}`;
  return `SELECT ${named(Object.keys(columns)).join(', ')} FROM ${prefix}${table.name}${index === undefined ? '' : withIndex(index)} WHERE ${where.join(' AND ')}${sorted}`;
}

import type { Column } from '../../core/state/column.ts';
import type { Statement } from '../../core/state/query.ts';
import { type Columns, columnName, type Table } from '../../core/state/table.ts';

/** What the two databases write differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Before the names of tables. */
  readonly prefix: string;
  readonly types: Readonly<Record<Column['type'], string>>;
  /** Behind the definition of a table. */
  options(table: Table): string;
  /** Behind the name of a table: reads it by this index. SQLite, without statistics, would read all rows of an owner. */
  by(index: string): string;
  /** The time of the store's clock, in milliseconds since the epoch. */
  readonly storeNow: string;
  /** A condition: the column has one of the values of a list. */
  among(column: string, parameter: string, type: Column['type']): string;
}

/**
 * The text of each declared statement, once for both databases. Its parameters are named `@name`. A command may need several
 * statements, of which the last one changes its rows.
 */
export type Texts<Declared> = {
  readonly [Name in keyof Declared]: (
    dialect: Dialect,
  ) => Declared[Name] extends Statement ? string : string | readonly string[];
};

export const SQLITE: Dialect = {
  name: 'sqlite',
  prefix: '',
  types: { text: 'TEXT', integer: 'INTEGER', flag: 'INTEGER' },
  // Long rows are slow in the tree of a key.
  options: ({ isWide }) => (isWide ? ' STRICT' : ' STRICT, WITHOUT ROWID'),
  by: (index) => ` INDEXED BY ${index}`,
  storeNow: '@store_now_ms',
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(@${parameter}))`,
};

const LISTS: Readonly<Record<Column['type'], string>> = { text: 'text', integer: 'bigint', flag: 'boolean' };

/**
 * In a schema of its own, so that it can share a database with the program that embeds it. Texts compare by their bytes,
 * whatever the language of the database.
 */
export const POSTGRES: Dialect = {
  name: 'postgres',
  prefix: 'countersign.',
  types: { text: 'TEXT COLLATE "C"', integer: 'BIGINT', flag: 'BOOLEAN' },
  options: () => '',
  by: () => '',
  // The server's clock. Evaluated once per statement.
  storeNow: '(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)',
  among: (column, parameter, type) => `${column} = ANY(@${parameter}::${LISTS[type]}[])`,
};

/** The names of columns, separated by commas. @param alias  of their table */
export function columnList(columns: Columns, alias?: string): string {
  return Object.keys(columns)
    .map(
      (property) =>
        `${alias === undefined ? '' : `${alias}.`}${columnName({ name: alias ?? '', columns }, property)}`,
    )
    .join(', ');
}

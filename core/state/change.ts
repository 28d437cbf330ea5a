import type { Stored } from './column.ts';
import { type Columns, columnName, type RowOf, type Table, type ValuesOf } from './table.ts';

/** Values as a database takes them, by the names of columns or parameters. */
export type Values = Readonly<Record<string, Stored>>;

/** What a verb writes. Tables and columns are named as in SQL. */
export type RowChange =
  | { readonly op: 'insert'; readonly table: string; readonly key: Values; readonly values: Values }
  /** Inserts the row, or sets `values` if the key exists. */
  | { readonly op: 'put'; readonly table: string; readonly key: Values; readonly values: Values }
  /** Puts several rows with the same columns, which include the key's. Their keys differ. */
  | {
      readonly op: 'put_rows';
      readonly table: string;
      readonly key: readonly string[];
      readonly rows: readonly Values[];
    }
  | { readonly op: 'update'; readonly table: string; readonly key: Values; readonly values: Values }
  | { readonly op: 'delete'; readonly table: string; readonly key: Values }
  /** A statement whose text the SQL adapter has. */
  | { readonly op: 'run'; readonly statement: string; readonly values: Values };

type RowChangeOf<Op extends RowChange['op']> = Extract<RowChange, { op: Op }>;

/** The properties of a key, or the first of them: the change concerns every row that has these. */
type KeyOf<Of extends Table> = Partial<RowOf<Of>> & { readonly ownerId?: string };

/** A new row. */
export function insert<Of extends Table>(table: Of, row: RowOf<Of>): RowChangeOf<'insert'> {
  return { op: 'insert', ...split(table, row) };
}

/** A new row, whose other columns begin with their own values or NULL; or, if its key exists, sets the columns that are given. */
export function put<Of extends Table>(table: Of, row: Partial<RowOf<Of>>): RowChangeOf<'put'> {
  return { op: 'put', ...split(table, row) };
}

function split(table: Table, row: Readonly<Record<string, unknown>>): Omit<RowChangeOf<'put'>, 'op'> {
  const isOfKey = (property: string) => table.key.includes(property);
  return {
    table: table.name,
    key: stored(table, row, isOfKey),
    values: stored(table, row, (property) => !isOfKey(property)),
  };
}

/** Puts several rows, whose keys differ, with one statement. */
export function putRows<Of extends Table>(table: Of, rows: readonly RowOf<Of>[]): RowChangeOf<'put_rows'> {
  return {
    op: 'put_rows',
    table: table.name,
    key: table.key.map((property) => columnName(table, property)),
    rows: rows.map((row) => stored(table, row)),
  };
}

/** Sets columns of the rows that have this key. */
export function update<Of extends Table>(
  table: Of,
  key: KeyOf<Of>,
  values: Partial<RowOf<Of>>,
): RowChangeOf<'update'> {
  return { op: 'update', table: table.name, key: stored(table, key), values: stored(table, values) };
}

/** Removes the rows that have this key. */
export function remove<Of extends Table>(table: Of, key: KeyOf<Of>): RowChangeOf<'delete'> {
  return { op: 'delete', table: table.name, key: stored(table, key) };
}

/** A statement that writes, and what it takes. Its text is the SQL adapter's, under its name. */
export interface Command<Params extends Columns = Columns> {
  readonly name: string;
  readonly params: Params;
}

export function run<Params extends Columns>(
  { name, params }: Command<Params>,
  values: ValuesOf<Params>,
): RowChangeOf<'run'> {
  return { op: 'run', statement: name, values: stored({ name, columns: params }, values) };
}

/** @returns values by the names of their columns */
export function stored(
  of: Pick<Table, 'name' | 'columns'>,
  values: Readonly<Record<string, unknown>>,
  isWanted: (property: string) => boolean = () => true,
): Record<string, Stored> {
  const named: Record<string, Stored> = {};
  for (const [property, value] of Object.entries(values)) {
    // One that is undefined was not given.
    if (value === undefined || !isWanted(property)) continue;
    named[columnName(of, property)] = of.columns[property]?.write(value) ?? null;
  }
  return named;
}

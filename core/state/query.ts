import { stored, type Values } from './change.ts';
import { type Column, instant, listOf } from './column.ts';
import { type Columns, columnName, pick, type RowOf, type Table, type ValuesOf } from './table.ts';

/** A row as a driver returns it: by the names of its columns. */
export type DriverRow = Readonly<Record<string, unknown>>;

/** A statement that reads, what it takes, and the columns of its rows. Its parameters are named like columns, behind `@`. */
export interface Statement<Params extends Columns = Columns, Result extends Columns = Columns> {
  readonly name: string;
  readonly params: Params;
  readonly columns: Result;
  /** From which its text follows. Undefined: the SQL adapter has the text, under its name. */
  readonly selection: Selection | undefined;
}

export interface Selection {
  readonly table: Table;
  /** The properties that rows must have, and by which they are sorted. */
  readonly by: readonly string[];
  readonly among: string | undefined;
  readonly order: readonly string[];
  /** The index to read it by, where SQLite would choose another. */
  readonly index: string | undefined;
}

/** A statement with its values, and how its rows are read. */
export interface Query<Result> {
  readonly statement: Statement;
  readonly values: Values;
  read(rows: readonly DriverRow[]): Result;
}

/** Queries by the names of their results. */
export type Queries = Readonly<Record<string, Query<unknown>>>;
export type ResultsOf<Asked extends Queries> = {
  readonly [Name in keyof Asked]: Asked[Name] extends Query<infer Result> ? Result : never;
};

/** Reads the rows of each query, in their order. */
export function resultsOf<Asked extends Queries>(
  queries: Asked,
  rows: readonly (readonly DriverRow[])[],
): ResultsOf<Asked>;
export function resultsOf(
  queries: Queries,
  rows: readonly (readonly DriverRow[])[],
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(queries);
  return Object.fromEntries(entries.map(([name, { read }], at) => [name, read(rows[at] ?? [])]));
}

/**
 * The rows of a table that have certain values. `by` begins with the table's key, or an index. `among`: of this column, one
 * of several values, which the parameter with `List` behind its name has.
 */
export function select<
  Of extends Table,
  By extends keyof Of['columns'] & string,
  Only extends keyof Of['columns'] & string = keyof Of['columns'] & string,
  Among extends keyof Of['columns'] & string = never,
>(
  table: Of,
  options: {
    readonly by: readonly By[];
    readonly among?: Among;
    readonly order?: readonly (keyof Of['columns'] & string)[];
    readonly only?: readonly Only[];
    readonly index?: string;
  },
): Statement<Pick<Of['columns'], By> & ListsOf<Of['columns'], Among>, Pick<Of['columns'], Only>>;
export function select(
  table: Table,
  options: {
    readonly by: readonly string[];
    readonly among?: string;
    readonly order?: readonly string[];
    readonly only?: readonly string[];
    readonly index?: string;
  },
): Statement {
  const { by, among, order = [], only, index } = options;
  const listed = among === undefined ? undefined : table.columns[among];
  return {
    name: `${table.name}_by_${[...by, ...(among === undefined ? [] : [among])].map((one) => columnName(table, one)).join('_')}`,
    params: {
      ...pick(table.columns, by),
      ...(listed === undefined ? {} : { [`${among}List`]: listOf(listed) }),
    },
    columns: only === undefined ? table.columns : pick(table.columns, only),
    selection: { table, by, among, order, index },
  };
}

/** A parameter `nameList` for a column `name`. */
type ListsOf<Of extends Columns, Name extends keyof Of & string> = {
  readonly [Each in Name as `${Each}List`]: Of[Each] extends Column<infer Value>
    ? Column<readonly Value[]>
    : never;
};

/** Declares statements whose texts the SQL adapter has, by their names. */
export function statements<
  const Declared extends Readonly<Record<string, { readonly params: Columns; readonly columns: Columns }>>,
>(
  declared: Declared,
): { readonly [Name in keyof Declared]: Statement<Declared[Name]['params'], Declared[Name]['columns']> };
export function statements(
  declared: Readonly<Record<string, { readonly params: Columns; readonly columns: Columns }>>,
): Readonly<Record<string, Statement>> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, { params, columns }]) => [
      name,
      { name, params, columns, selection: undefined },
    ]),
  );
}

/** Declares statements that write, like `statements`. */
export function commands<const Declared extends Readonly<Record<string, Columns>>>(
  declared: Declared,
): { readonly [Name in keyof Declared]: { readonly name: string; readonly params: Declared[Name] } };
export function commands(
  declared: Readonly<Record<string, Columns>>,
): Readonly<Record<string, { readonly name: string; readonly params: Columns }>> {
  return Object.fromEntries(Object.entries(declared).map(([name, params]) => [name, { name, params }]));
}

/** The time of the store's clock. */
export const clockStatements = statements({ clock: { params: {}, columns: { now: instant() } } });

/** All rows. */
export function all<Params extends Columns, Result extends Columns>(
  statement: Statement<Params, Result>,
  values: ValuesOf<Params>,
): Query<readonly ValuesOf<Result>[]> {
  const read = reader(statement);
  return asked(statement, values, (rows) => rows.map(read));
}

/** The first row. Undefined: there is none. */
export function first<Params extends Columns, Result extends Columns>(
  statement: Statement<Params, Result>,
  values: ValuesOf<Params>,
): Query<ValuesOf<Result> | undefined> {
  const read = reader(statement);
  return asked(statement, values, ([row]) => row && read(row));
}

/** The row of a statement that always returns one. */
export function single<Params extends Columns, Result extends Columns>(
  statement: Statement<Params, Result>,
  values: ValuesOf<Params>,
): Query<ValuesOf<Result>> {
  const read = reader(statement);
  return asked(statement, values, ([row]) => {
    if (row === undefined)
      throw new Error(`The statement ${statement.name} always returns a row, and returned none.`);
    return read(row);
  });
}

function asked<Params extends Columns, Result>(
  statement: Statement<Params>,
  values: ValuesOf<Params>,
  read: Query<Result>['read'],
): Query<Result> {
  return { statement, values: stored({ name: statement.name, columns: statement.params }, values), read };
}

const readers = new WeakMap<Columns, (row: DriverRow) => unknown>();

function reader<Result extends Columns>({
  name,
  columns,
}: {
  readonly name: string;
  readonly columns: Result;
}): (row: DriverRow) => ValuesOf<Result> {
  const known = readers.get(columns);
  const made = known ?? rowReader(name, columns);
  if (known === undefined) readers.set(columns, made);
  return made as (row: DriverRow) => ValuesOf<Result>;
}

/** Reads a whole row of a table. @throws Error of `unknownValue` */
export function readRow<Of extends Table>(table: Of, row: DriverRow): RowOf<Of> {
  return reader<Of['columns']>(table)(row);
}

/** The value itself stays out of the message, because it may be an address. */
export function unknownValue(column: string, cause?: unknown): Error {
  return new Error(
    `The column ${column} of the database contains a value that this program does not know.`,
    cause === undefined ? {} : { cause },
  );
}

/** @throws Error of `unknownValue` */
function rowReader(of: string, described: Columns): (row: DriverRow) => unknown {
  const columns = Object.entries(described).map(([property, column]) => ({
    property,
    name: columnName({ name: of, columns: described }, property),
    column,
  }));
  // A copy has its properties already: adding them one by one costs more than reading them.
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(
    columns.map(({ property }) => [property, null]),
  );
  return (row) => {
    const values: Record<string, unknown> = { ...empty };
    let reading = '';
    try {
      for (const { property, name, column } of columns) {
        reading = name;
        values[property] = column.read(row[name]);
      }
    } catch (cause) {
      throw unknownValue(reading, cause);
    }
    return values;
  };
}

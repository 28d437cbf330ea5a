import type { Column } from './column.ts';
import type { EraseBefore } from './erase-before.ts';

export type Columns = Readonly<Record<string, Column>>;

/** An index of a table. Its columns are named by their properties. */
export interface Index<Property extends string = string> {
  readonly on: readonly Property[];
  /** Which rows it holds: a condition on columns, named as in SQL. */
  readonly where?: string;
  readonly isUnique?: boolean;
  /** Columns that it also holds, so that a query reads only the index. Postgres leaves out what may be long. */
  readonly also?: readonly Property[];
}

/** A table of the database: the one description of it. */
export interface Table<Described extends Columns = Columns> {
  readonly name: string;
  readonly columns: Described;
  /** The properties of its primary key. */
  readonly key: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: Readonly<Record<string, Index>>;
  /** The table that a row's key refers to: there is no row without that row. */
  readonly parent: { readonly table: Table; readonly isRemovedWithIt: boolean } | undefined;
  /** Whether its rows may have kilobytes. */
  readonly isWide: boolean;
  /** A condition on columns that holds for every row, named as in SQL. */
  readonly check: string | undefined;
  /** How long rows are kept: those are erased whose instant in the column `by` is before this limit. */
  readonly erased: { readonly by: string; readonly before: keyof EraseBefore } | undefined;
}

interface Options<Property extends string> {
  readonly key: readonly Property[];
  readonly unique?: readonly (readonly Property[])[];
  readonly indexes?: Readonly<Record<string, Index<Property>>>;
  /** A row of this table has the key of a row there. Removed only after this row. */
  readonly partOf?: Table;
  /** The same. Removes this row with it. */
  readonly removedWith?: Table;
  readonly isWide?: boolean;
  readonly check?: string;
  readonly erased?: { readonly by: Property; readonly before: keyof EraseBefore };
}

/** @param name  as in SQL; `columns`: their order is that of the table */
export function table<const Described extends Columns>(
  name: string,
  columns: Described,
  options: Options<keyof Described & string>,
): Table<Described> {
  const { key, unique = [], indexes = {}, partOf, removedWith, isWide = false, check, erased } = options;
  const parent = removedWith ?? partOf;
  return {
    name,
    columns,
    key,
    unique,
    indexes,
    parent: parent && { table: parent, isRemovedWithIt: removedWith !== undefined },
    isWide,
    check,
    erased,
  };
}

/** What core knows of a row. */
export type RowOf<Of extends Table> = ValuesOf<Of['columns']>;

/** The values of columns or parameters, by their properties. */
export type ValuesOf<Of extends Columns> = {
  readonly [Property in keyof Of]: Of[Property] extends Column<infer Value> ? Value : never;
};

/** Some of the columns, in their order. */
export function pick<Of extends Columns, Property extends keyof Of & string>(
  columns: Of,
  properties: readonly Property[],
): Pick<Of, Property>;
export function pick(columns: Columns, properties: readonly string[]): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([property]) => properties.includes(property)));
}

const names = new WeakMap<Columns, ReadonlyMap<string, string>>();

/** The name of a column in SQL. @throws Error if the table has no such property */
export function columnName({ name, columns }: Pick<Table, 'name' | 'columns'>, property: string): string {
  let known = names.get(columns);
  if (known === undefined) {
    known = namesOf(columns);
    names.set(columns, known);
  }
  const found = known.get(property);
  if (found === undefined) throw new Error(`${name} has no ${property}.`);
  return found;
}

function namesOf(columns: Columns): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(columns).map(([property, { unit }]) => [
      property,
      `${property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}${unit}`,
    ]),
  );
}

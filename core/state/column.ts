import { remembering } from './remembering.ts';

/** What a database stores of one value; or the values of a list, for a parameter. */
export type Stored = string | number | boolean | null | readonly (string | number)[];

/** What a secret key seals in a column, and what it is bound to. */
export interface Sealing {
  /** One of `STORED`. */
  readonly purpose: string;
  /** The columns, by their properties, that the text can only be opened with. */
  readonly context: readonly string[];
}

/** A column of a table, and how core's values of it are stored. */
export interface Column<Value = unknown> {
  readonly type: 'text' | 'integer' | 'flag';
  /** The column's name is that of its property in snake case, and this. */
  readonly unit: '' | '_ms';
  readonly isNullable: boolean;
  /** The value of rows that do not state one. */
  readonly initially: Stored | undefined;
  /** A text that may be longer than an entry of an index of Postgres, which then holds its hash. */
  readonly isLong: boolean;
  readonly sealing: Sealing | undefined;
  /** Reads a value as a driver returns it. @throws Error if the column cannot have it; it does not repeat the value */
  read(stored: unknown): Value;
  write(value: Value): Stored;

  /** The same column, which may also be NULL. */
  orNull(): Column<Value | null>;
  /** The same column, with a value for rows that state none. */
  startingAt(value: Value): Column<Value>;
}

type Definition<Value> = Pick<Column<Value>, 'type' | 'read' | 'write'> &
  Partial<Pick<Column<Value>, 'unit' | 'isNullable' | 'initially' | 'isLong' | 'sealing'>>;

function column<Value>(definition: Definition<Value>): Column<Value> {
  const { read, write } = definition;
  return {
    unit: '',
    isNullable: false,
    initially: undefined,
    isLong: false,
    sealing: undefined,
    ...definition,
    orNull: () =>
      column<Value | null>({
        ...definition,
        initially: undefined,
        isNullable: true,
        read: (stored) => (stored === null ? null : read(stored)),
        write: (value) => (value === null ? null : write(value)),
      }),
    startingAt: (value) => column<Value>({ ...definition, initially: write(value) }),
  };
}

export function text(): Column<string> {
  return column({ type: 'text', read: asText, write: same });
}

export function longText(): Column<string> {
  return column({ type: 'text', isLong: true, read: asText, write: same });
}

/** A text that a secret key sealed. @param context  the properties that it is bound to; without it, those of the table's key */
export function sealed(purpose: string, context: readonly string[] = []): Column<string> {
  return column({ type: 'text', sealing: { purpose, context }, read: asText, write: same });
}

/** One of several texts. */
export function oneOf<const Value extends string>(values: readonly Value[]): Column<Value> {
  return column({
    type: 'text',
    read: (stored) => values.find((known) => known === stored) ?? unknown(),
    write: same,
  });
}

/** A whole number that JavaScript holds exactly. */
export function integer(): Column<number> {
  return column({ type: 'integer', read: asInteger, write: same });
}

/** Stored in milliseconds since the epoch. */
export function instant(): Column<Date> {
  return column({
    type: 'integer',
    unit: '_ms',
    read: (stored) => new Date(asInteger(stored)),
    write: (value) => value.getTime(),
  });
}

/** In a database without booleans 0 or 1. */
export function flag(): Column<boolean> {
  return column({
    type: 'flag',
    read: (stored) =>
      stored === true || stored === 1 ? true : stored === false || stored === 0 ? false : unknown(),
    write: same,
  });
}

/** A parameter with several values of a column. No column of a table is one. */
export function listOf<Value>(of: Column<Value>): Column<readonly Value[]> {
  return column({
    type: of.type,
    read: () => unknown(),
    write: (values: readonly Value[]) =>
      values.map((value) => {
        const one = of.write(value);
        return typeof one === 'string' || typeof one === 'number' ? one : unknown();
      }),
  });
}

/**
 * JSON, as `parse` accepts it.
 * @param parse  throws an Error for any other value
 * @param written  returns what is stored of a value. Default: the value itself
 */
export function json<Value>(
  parse: (value: unknown) => Value,
  written: (value: Value) => unknown = same,
): Column<Value> {
  return column({
    type: 'text',
    read: (stored) => parse(JSON.parse(asText(stored))),
    write: (value) => JSON.stringify(written(value)),
  });
}

/** A text that is parsed on every call: the same text gives the same value, which nobody may change. */
export function parsed<Value extends object>(
  parse: (text: string) => Value,
  written: (value: Value) => string,
): Column<Value> {
  const known = remembering(parse);
  return column({ type: 'text', read: (stored) => known(asText(stored)), write: written });
}

/** JSON: an array of texts. */
export function texts(): Column<readonly string[]> {
  return json((value) => {
    if (!Array.isArray(value)) return unknown();
    return value.map((one: unknown) => asText(one));
  });
}

/** The same, in which NULL stands for `none`. @param written  returns null for it */
export function parsedOr<Value extends object>(
  none: Value,
  parse: (text: string) => Value,
  written: (value: Value) => string | null,
): Column<Value> {
  const known = remembering(parse);
  return column({
    type: 'text',
    isNullable: true,
    read: (stored) => (stored === null ? none : known(asText(stored))),
    write: written,
  });
}

function asText(stored: unknown): string {
  return typeof stored === 'string' ? stored : unknown();
}

function asInteger(stored: unknown): number {
  return Number.isSafeInteger(stored) ? Number(stored) : unknown();
}

function same<Value>(value: Value): Value {
  return value;
}

function unknown(): never {
  throw new Error('it is a value that this program does not know');
}

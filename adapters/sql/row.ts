import { type DriverRow, unknownValue } from '../../core/state/query.ts';

/**
 * A row as the driver returns it. These readers narrow its columns, and refuse what the schema does not
 * allow.
 */
export type Row = DriverRow;

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : wrong(column);
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return Number.isSafeInteger(value) ? Number(value) : wrong(column);
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

/** As its driver returns it: a boolean, or 0 and 1. */
export function flag(row: Row, column: string): boolean {
  const value = row[column];
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : wrong(column);
}

/** A column of milliseconds since the epoch. */
export function instant(row: Row, column: string): Date {
  return new Date(integer(row, column));
}

export function instantOrNull(row: Row, column: string): Date | null {
  return row[column] === null ? null : instant(row, column);
}

export function oneOf<const Value extends string>(row: Row, column: string, values: readonly Value[]): Value {
  const value = row[column];
  return values.find((known) => known === value) ?? wrong(column);
}

/** A JSON column with an object. */
export function object(row: Row, column: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text(row, column));
  return isObject(value) ? value : wrong(column);
}

/** A JSON column with an array of strings. */
export function texts(row: Row, column: string): readonly string[] {
  const value: unknown = JSON.parse(text(row, column));
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : wrong(column);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(column: string): never {
  throw unknownValue(column);
}

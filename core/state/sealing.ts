import type { Keyring } from '../secrets/keyring.ts';
import type { Table } from './table.ts';

/** Values that a secret key seals: each opens only in the row, and the column, that it was sealed for. */

type Row = Readonly<Record<string, unknown>>;

/** @param row  at least the properties that the column is bound to */
export function sealFor(keyring: Keyring, table: Table, property: string, row: Row, value: string): string {
  const { purpose, context } = sealingOf(table, property, row);
  return keyring.seal(purpose, context, value);
}

/** @throws Error if the value was changed, or its key is not in the ring */
export function openFrom(keyring: Keyring, table: Table, property: string, row: Row): string {
  const { purpose, context } = sealingOf(table, property, row);
  return keyring.open(purpose, context, String(row[property]));
}

function sealingOf(table: Table, property: string, row: Row): { purpose: string; context: string } {
  const sealing = table.columns[property]?.sealing;
  if (sealing === undefined) throw new Error(`${table.name} has no sealed ${property}.`);
  const bound = sealing.context.length > 0 ? sealing.context : table.key;
  return { purpose: sealing.purpose, context: bound.map((one) => String(row[one])).join('\n') };
}

import type { Keyring } from '../secrets/keyring.ts';
import type { Sealing } from './column.ts';
import type { Table } from './table.ts';

/** Values that a secret key seals: each opens only in the row, and the column, that it was sealed for. */

type Row = Readonly<Record<string, unknown>>;

/** What seals a column of a table, bound to the table's key if it names nothing else. Undefined: the column is not sealed. */
export function sealingOf(table: Table, property: string): Sealing | undefined {
  const sealing = table.columns[property]?.sealing;
  return sealing?.context.length === 0 ? { ...sealing, context: table.key } : sealing;
}

/** @param row  at least the properties that the column is bound to */
export function sealFor(keyring: Keyring, table: Table, property: string, row: Row, value: string): string {
  const { purpose, context } = boundTo(table, property, row);
  return keyring.seal(purpose, context, value);
}

/** @throws Error if the value was changed, or its key is not in the ring */
export function openFrom(keyring: Keyring, table: Table, property: string, row: Row): string {
  const { purpose, context } = boundTo(table, property, row);
  return keyring.open(purpose, context, String(row[property]));
}

function boundTo(table: Table, property: string, row: Row): { purpose: string; context: string } {
  const sealing = sealingOf(table, property);
  if (sealing === undefined) throw new Error(`${table.name} has no sealed ${property}.`);
  return { purpose: sealing.purpose, context: contextText(sealing.context, row) };
}

/** @param names  of the values in `row`, in order */
export function contextText(names: readonly string[], row: Row): string {
  return names.map((name) => String(row[name])).join('\n');
}

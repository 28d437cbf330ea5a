import { randomBytes } from 'node:crypto';
import { SUBSCRIBED_TYPES } from '../../core/events/webhook-event.ts';
import { TABLES } from '../../core/service/all-tables.ts';
import type { Column } from '../../core/state/column.ts';
import { columnName, type Index, type Table } from '../../core/state/table.ts';
import type { Dialect } from './dialect.ts';

/**
 * The version of this schema, in both databases. Later versions are reached by migrations. Those below it, from before the
 * first release, cannot be read.
 */
export const BASELINE = 105;

/** The statements that create all tables, with the rows that they begin with. */
export function createSchema(dialect: Dialect): readonly string[] {
  const streams = SUBSCRIBED_TYPES.map(
    (type) =>
      `INSERT INTO ${dialect.prefix}event_streams VALUES ('${type}', '${randomBytes(8).toString('hex')}', 0, 0)`,
  );
  return [...TABLES.flatMap((table) => createTable(table, dialect)), ...streams];
}

/**
 * Says why this program cannot read a schema of this version. Undefined: it can.
 * @param newest  the newest version that it knows
 */
export function unreadableVersion(version: number, newest: number): string | undefined {
  if (version > newest) {
    return (
      `it has schema version ${version}, and this program knows versions up to ${newest}. ` +
      'Start the newer program that wrote it, or restore a copy from before the upgrade.'
    );
  }
  if (version >= BASELINE) return undefined;
  return (
    `it has schema version ${version}, from before the first release, and this program reads versions from ${BASELINE} on. ` +
    'Start with a new data folder (COUNTERSIGN_DATA_DIR) or another Postgres database. This one stays as it is.'
  );
}

/** The statements that create a table with its indexes. */
function createTable(table: Table, dialect: Dialect): readonly string[] {
  const isHashed = (property: string) =>
    dialect.name === 'postgres' && table.columns[property]?.isLong === true;
  const named = (properties: readonly string[]) => properties.map((one) => columnName(table, one)).join(', ');
  const hashed = (properties: readonly string[]) =>
    properties
      .map((one) => (isHashed(one) ? `md5(${columnName(table, one)})` : columnName(table, one)))
      .join(', ');
  const hasLongKey = table.key.some(isHashed);

  const lines = [
    ...Object.entries(table.columns).map(([property, column]) =>
      columnLine(columnName(table, property), column, dialect),
    ),
    ...(hasLongKey ? [] : [`PRIMARY KEY (${named(table.key)})`]),
    ...table.unique.map((properties) => `UNIQUE (${named(properties)})`),
    ...parentLines(table, dialect),
    ...(table.check === undefined ? [] : [`CHECK (${table.check})`]),
  ];
  return [
    `CREATE TABLE ${dialect.prefix}${table.name} (\n  ${lines.join(',\n  ')}\n)${dialect.options(table)}`,
    ...(hasLongKey
      ? [`CREATE UNIQUE INDEX ${table.name}_by_hash ON ${dialect.prefix}${table.name} (${hashed(table.key)})`]
      : []),
    ...Object.entries(table.indexes).map(([name, index]) => indexText(name, index, table, dialect, isHashed)),
  ];
}

function columnLine(name: string, { type, isNullable, initially }: Column, { types }: Dialect): string {
  const always = isNullable ? '' : ' NOT NULL';
  return `${name} ${types[type]}${always}${initially === undefined ? '' : ` DEFAULT ${literal(initially)}`}`;
}

function literal(value: Column['initially']): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function parentLines({ parent }: Table, { prefix }: Dialect): readonly string[] {
  if (parent === undefined) return [];
  const key = parent.table.key.map((one) => columnName(parent.table, one)).join(', ');
  const reference = `FOREIGN KEY (${key}) REFERENCES ${prefix}${parent.table.name} (${key})`;
  return [parent.isRemovedWithIt ? `${reference} ON DELETE CASCADE` : reference];
}

function indexText(
  name: string,
  { on, where, isUnique = false, also = [] }: Index,
  table: Table,
  dialect: Dialect,
  isHashed: (property: string) => boolean,
): string {
  const parts = on.map((one) => columnName(table, one));
  const more = also.filter((one) => !isHashed(one)).map((one) => columnName(table, one));
  const held = dialect.name === 'sqlite' ? [...parts, ...more] : parts;
  const included = dialect.name === 'postgres' && more.length > 0 ? ` INCLUDE (${more.join(', ')})` : '';
  return (
    `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${dialect.prefix}${table.name} (${held.join(', ')})` +
    `${included}${where === undefined ? '' : ` WHERE ${where}`}`
  );
}

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SQLITE } from '../../../adapters/sql/dialect.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import * as erasing from '../../../adapters/sqlite/erasing.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type Column, fillStatement, type Scale } from './filled-tables.ts';
import { type Cost, growing, type Measurable, measurables, rowsIn } from './growth.ts';
import { collected } from './row-writes.ts';

/** Linux counts here what a process reads, whether from a disk or from memory. */
const COUNTERS = '/proc/self/io';
/** A statement that grows, to show that one is found. */
const SCAN: Measurable = {
  name: 'scan',
  text: "SELECT activity_id FROM activity WHERE outcome = 'nothing'",
  names: [],
  valueFor: () => null,
};

const missing = existsSync(COUNTERS) ? [] : [COUNTERS];
const PAGE_BYTES = 4096;

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a statement of SQLite'), () => {
  let all: readonly Measurable[];
  beforeAll(async () => {
    all = measurables([erasing], await collected(), SQLITE);
  });

  it.each([1, 400])(
    'reads pages for what it returns or changes, with the rows of %i owners',
    async (owners) => {
      expect(await growing([...all, SCAN], owners, measure)).toEqual([expect.stringContaining('scan: ')]);
    },
  );
});

async function measure(
  scale: Scale,
  measured: readonly Measurable[],
): Promise<ReadonlyMap<Measurable, Cost>> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-growth-'));
  const file = join(folder, 'countersign.db');
  try {
    fill(file, scale);
    const db = new SqliteDatabase(file);
    // Every page counts each time that it is read.
    for (const setting of ['cache_size = 1', 'foreign_keys = ON', 'secure_delete = ON']) db.pragma(setting);
    const costs = measured.map((one) => [one, costOf(db, scale, one)] as const);
    db.close();
    return new Map(costs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function costOf(db: SqliteDatabase.Database, scale: Scale, { text, names, valueFor }: Measurable): Cost {
  const values = names.map((name) => [name, stored(valueFor(name, scale))] as const);
  const statement = db.prepare<unknown[], object>(text);
  const bound = Object.fromEntries(values);
  // A statement may rely on others that ran before it: keys are looked up, and checked at a commit that never comes.
  db.exec('BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON');
  try {
    const before = bytesRead();
    const rows = statement.reader ? rowsIn(text, statement.all(bound)) : statement.run(bound).changes;
    return { pages: Math.floor((bytesRead() - before) / PAGE_BYTES), rows };
  } finally {
    db.exec('ROLLBACK');
  }
}

/** As the store binds it. */
function stored(value: ReturnType<Measurable['valueFor']>): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(COUNTERS, 'latin1'))?.[1]);
}

const named = z.array(z.object({ name: z.string() }));
const described = z.array(
  z.object({ name: z.string(), type: z.string(), notnull: z.int(), pk: z.int() }).transform(
    ({ name, type, notnull, pk }): Column => ({
      name,
      type: type === 'TEXT' ? 'text' : 'number',
      isNullable: notnull === 0 && pk === 0,
    }),
  ),
);

function fill(file: string, scale: Scale): void {
  const db = openDatabase(file);
  for (const setting of ['foreign_keys = OFF', 'synchronous = OFF']) db.pragma(setting);
  const tables = named.parse(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all());
  for (const { name } of tables) {
    const columns = described.parse(db.pragma(`table_info(${name})`));
    db.exec(`DELETE FROM ${name}`);
    db.exec(fillStatement(name, columns, scale, { prefix: '', series }));
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function series(rows: number): string {
  return `(WITH RECURSIVE series (i) AS (
    SELECT 0 WHERE ${rows} > 0 UNION ALL SELECT i + 1 FROM series WHERE i + 1 < ${rows}) SELECT i FROM series)`;
}

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as erasing from '../../../adapters/postgres/erasing.ts';
import { LOCKS } from '../../../adapters/postgres/lock.ts';
import { migrate } from '../../../adapters/postgres/migrations.ts';
import { POSTGRES } from '../../../adapters/sql/dialect.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../servers/postgres.ts';
import { type Column, fillStatement, type Scale } from './filled-tables.ts';
import { type Cost, growing, type Measurable, measurables, rowsIn } from './growth.ts';
import { collected } from './row-writes.ts';

/** A statement that grows, to show that one is found. */
const SCAN: Measurable = {
  name: 'scan',
  text: "SELECT activity_id FROM countersign.activity WHERE outcome = 'nothing'",
  names: [],
  valueFor: () => null,
};

const missing = missingOwnPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a statement of Postgres'), () => {
  let postgres: OwnPostgres;
  let all: readonly Measurable[];
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    all = measurables([erasing, LOCKS], await collected(), POSTGRES);
  });
  afterAll(() => postgres?.stop());

  it.each([1, 400])(
    'reads buffers for what it returns or changes, with the rows of %i owners',
    async (owners) => {
      expect(await growing([...all, SCAN], owners, measure)).toEqual([expect.stringContaining('scan: ')]);
    },
  );

  async function measure(
    scale: Scale,
    measured: readonly Measurable[],
  ): Promise<ReadonlyMap<Measurable, Cost>> {
    const connectionString = await postgres.createDatabase();
    await migrate(connectionString);
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      await fill(client, scale);
      const costs = new Map<Measurable, Cost>();
      for (const one of measured) costs.set(one, await costOf(client, scale, one));
      return costs;
    } finally {
      await client.end();
      await postgres.dropDatabase(connectionString);
    }
  }
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[] | undefined;
}

const node: z.ZodType<Node> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    Plans: z.array(node).optional(),
  }),
);
const explained = z.tuple([
  z.object({
    'QUERY PLAN': z.tuple([
      z.object({
        Plan: z.intersection(
          node,
          z.object({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }),
        ),
      }),
    ]),
  }),
]);

async function costOf(
  client: pg.Client,
  scale: Scale,
  { name, text, names, valueFor }: Measurable,
): Promise<Cost> {
  const query = text.replaceAll(/@(\w+)/g, (_, one: string) => `$${names.indexOf(one) + 1}`);
  const values = names.map((one) => {
    const value = valueFor(one, scale);
    return typeof value === 'object' && value !== null ? value.map(String) : value;
  });
  await client.query('BEGIN');
  try {
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${query}`,
      values,
    );
    const [
      {
        'QUERY PLAN': [{ Plan: plan }],
      },
    ] = explained.parse(rows);
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const changed = changedBy(plan);
    if (changed > 0) return { pages, rows: changed };
    const found = text.includes('count(*)') ? await client.query<object>(query, values) : undefined;
    return { pages, rows: found === undefined ? plan['Actual Rows'] : rowsIn(text, found.rows) };
  } catch (cause) {
    throw new Error(`${name} cannot be measured`, { cause });
  } finally {
    await client.query('ROLLBACK');
  }
}

/** The rows that its parts write. */
function changedBy(plan: Node): number {
  const parts = plan.Plans ?? [];
  const within = parts.reduce((sum, part) => sum + changedBy(part), 0);
  if (plan['Node Type'] !== 'ModifyTable') return within;
  // Its last part yields the rows to write.
  const source = parts.at(-1);
  return within + (source === undefined ? 0 : source['Actual Rows'] * source['Actual Loops']);
}

const named = z.array(z.object({ name: z.string() }));
const described = z.array(
  z.object({ name: z.string(), type: z.string(), nullable: z.string() }).transform(
    ({ name, type, nullable }): Column => ({
      name,
      type: type === 'text' || type === 'boolean' ? type : 'number',
      isNullable: nullable === 'YES',
    }),
  ),
);

async function fill(client: pg.Client, scale: Scale): Promise<void> {
  const tables = await client.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'countersign' AND tablename <> 'schema_version'",
  );
  // Foreign keys are not checked, not even while statements are measured: their look-ups would not count.
  await client.query('SET session_replication_role = replica');
  for (const { name } of named.parse(tables.rows)) {
    const columns = await client.query(
      `SELECT column_name AS name, data_type AS type, is_nullable AS nullable FROM information_schema.columns
      WHERE table_schema = 'countersign' AND table_name = $1`,
      [name],
    );
    await client.query(`DELETE FROM countersign.${name}`);
    const dialect = { prefix: 'countersign.', series };
    await client.query(fillStatement(name, described.parse(columns.rows), scale, dialect));
  }
  // As the server does by itself after a while.
  await client.query('VACUUM ANALYZE');
}

function series(rows: number): string {
  return `generate_series(0::bigint, ${rows} - 1) AS series (i)`;
}

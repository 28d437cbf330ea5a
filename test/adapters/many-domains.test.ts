import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { type Dialect, POSTGRES, SQLITE } from '../../adapters/sql/dialect.ts';
import { namedTexts } from '../../adapters/sql/statement-text.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { usedDomainKeys } from '../../core/safety/domain-keys.ts';
import { addOwner, NOON } from '../contracts/storage/scene.ts';
import { sizeOf } from '../only-long.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, onPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';

/** How many rows it takes to look some known domains up, among few and among many. */

interface Kind {
  readonly name: string;
  readonly missing: readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** @returns the location of an empty database */
  create(): Promise<string>;
  open(location: string): Storage;
  /** How many rows of the tables of known domains the look-up of these keys reads. */
  rowsRead(location: string, ownerId: string, keys: readonly number[]): Promise<number>;
}

/** The text of the look-up, for account 1 of the owner. */
function lookUp(dialect: Dialect, ownerId: string): string {
  const [text = ''] = namedTexts('known_domains_by_keys', dialect);
  return text.replaceAll('@owner_id', `'${ownerId}'`).replaceAll('@account_id', '1');
}

let folder: string;
let files = 0;
const sqlite: Kind = {
  name: 'SQLite',
  missing: [],
  async start() {
    folder = mkdtempSync(join(tmpdir(), 'countersign-domains-'));
  },
  async stop() {
    rmSync(folder, { recursive: true });
  },
  async create() {
    files += 1;
    return join(folder, `${files}.db`);
  },
  open: (location) => sqliteStorage({ file: location }),
  async rowsRead(location, ownerId, keys) {
    const db = new SqliteDatabase(location);
    let rows = 0;
    db.function('is_counted', { deterministic: false }, () => {
      rows += 1;
      return 1;
    });
    for (const table of ['known_domains', 'known_domain_keys'])
      db.exec(`CREATE TEMP VIEW ${table} AS SELECT * FROM main.${table} WHERE is_counted()`);
    db.prepare(lookUp(SQLITE, ownerId)).all({ key_list: JSON.stringify(keys) });
    db.close();
    return rows;
  },
};

let server: Postgres;
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function scannedRows(node: PlanNode): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : rows * node['Actual Loops'];
  return own + (node.Plans ?? []).map(scannedRows).reduce((sum, one) => sum + one, 0);
}

const postgres: Kind = {
  name: 'Postgres',
  missing: missingPostgres(),
  async start() {
    server = await startPostgres();
  },
  stop: () => server.stop(),
  create: () => server.createDatabase(),
  open: (location) => postgresStorage({ connectionString: location }),
  rowsRead: (location, ownerId, keys) =>
    onPostgres(location, async (client) => {
      const text = lookUp(POSTGRES, ownerId).replaceAll('@key_list', '$1');
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        [keys],
      );
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      if (plan === undefined) throw new Error('Postgres explained nothing');
      return scannedRows(plan);
    }),
};

/** Names without a pattern, some with subdomains. */
function domainsOf(count: number): string[] {
  const ends = ['com', 'de', 'co.uk', 'example'];
  return Array.from({ length: count }, (_, n) => {
    const name = createHash('sha256').update(`${n}`).digest('hex').slice(0, 10);
    return `${n % 7 === 0 ? 'mail.' : ''}${name}.${ends[n % ends.length] ?? ''}`;
  });
}

const MANY = sizeOf('growth: sizes', 20_000, 5000);

describe.each([sqlite, postgres])('$name', (kind) => {
  describe.skipIf(kind.missing.length > 0)(titledWithout(kind.missing, 'known domains'), () => {
    beforeAll(() => kind.start());
    afterAll(() => kind.stop());

    it(`are looked up in as few rows among ${MANY} as among 200`, async () => {
      const [few, many] = [200, MANY].map(domainsOf) as [string[], string[]];
      const used = few
        .slice(0, 5)
        .flatMap((domain) => [
          domain,
          `www.${domain}`,
          domain.replace('.', 'x.'),
          `${domain.replaceAll('.', '-')}.evil.test`,
        ]);
      const keys = usedDomainKeys([...used, 'com', 'co.uk', 'www.co.uk', 'never-seen.example']);
      const read = async (domains: readonly string[]) => {
        const location = await kind.create();
        const storage = kind.open(location);
        const ownerId = await addOwner(storage);
        await storage.rememberRecipients(
          ownerId,
          1,
          domains.map((domain) => `a@${domain}`),
          NOON,
        );
        const found = await storage.knownDomains(ownerId, 1, usedDomainKeys(used));
        await storage.close();
        expect(few.slice(0, 5).filter((domain) => !found.has(domain))).toEqual([]);
        return kind.rowsRead(location, ownerId, keys);
      };
      const [small, large] = [await read(few), await read(many)];
      expect(small).toBeGreaterThan(0);
      expect(large).toBeLessThan(200);
    });
  });
});

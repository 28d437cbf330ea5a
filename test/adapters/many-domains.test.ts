import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addEndingKeys as addEndingsToPostgres,
  addKnownDomains as addToPostgres,
} from '../../adapters/postgres/known-domains-schema.ts';
import {
  MIGRATIONS as POSTGRES_MIGRATIONS,
  runMigrations as runPostgresMigrations,
} from '../../adapters/postgres/migrations.ts';
import { STATEMENTS as POSTGRES_STATEMENTS } from '../../adapters/postgres/statements.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import {
  addEndingKeys as addEndingsToSqlite,
  addKnownDomains as addToSqlite,
} from '../../adapters/sqlite/known-domains-schema.ts';
import {
  runMigrations as runSqliteMigrations,
  MIGRATIONS as SQLITE_MIGRATIONS,
} from '../../adapters/sqlite/migrations.ts';
import { STATEMENTS as SQLITE_STATEMENTS } from '../../adapters/sqlite/statements.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { usedDomainKeys } from '../../core/safety/domain-keys.ts';
import { NOON } from '../contracts/storage/scene.ts';
import { sizeOf } from '../only-long.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, onPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';

/** Known domains that an earlier version stored as recipients only, and how many rows it takes to look some of them up. */

const OWNER = `
  INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, created_at_ms)
    VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 0)`;

interface Kind {
  readonly name: string;
  readonly missing: readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A database of the version before known domains were stored. @returns its location */
  createOlder(addresses: readonly string[]): Promise<string>;
  /** Upgrades such a database to the version before endings were found, without the keys of known domains. */
  upgradeWithoutKeys(location: string): Promise<void>;
  open(location: string): Storage;
  /** How many rows of the tables of known domains the look-up of these keys reads. */
  rowsRead(location: string, keys: readonly number[]): Promise<number>;
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
  async createOlder(addresses) {
    files += 1;
    const location = join(folder, `${files}.db`);
    const db = new SqliteDatabase(location);
    const before = SQLITE_MIGRATIONS.indexOf(addToSqlite);
    runSqliteMigrations(db, SQLITE_MIGRATIONS.slice(0, before));
    db.pragma(`user_version = ${before}`);
    db.exec(OWNER);
    db.prepare(`INSERT INTO known_recipients (owner_id, account_id, address, since_ms, times)
      SELECT 'o', 1, value, 0, 2 FROM json_each(?)`).run(JSON.stringify(addresses));
    db.close();
    return location;
  },
  async upgradeWithoutKeys(location) {
    const db = new SqliteDatabase(location);
    const version = SQLITE_MIGRATIONS.indexOf(addEndingsToSqlite);
    runSqliteMigrations(db, SQLITE_MIGRATIONS.slice(SQLITE_MIGRATIONS.indexOf(addToSqlite), version));
    db.exec('DELETE FROM known_domain_keys');
    db.pragma(`user_version = ${version}`);
    db.close();
  },
  open: (location) => sqliteStorage({ file: location }),
  async rowsRead(location, keys) {
    const db = new SqliteDatabase(location);
    let rows = 0;
    db.function('is_counted', { deterministic: false }, () => {
      rows += 1;
      return 1;
    });
    for (const table of ['known_domains', 'known_domain_keys'])
      db.exec(`CREATE TEMP VIEW ${table} AS SELECT * FROM main.${table} WHERE is_counted()`);
    const text = SQLITE_STATEMENTS.known_domains.replaceAll('@ownerId', "'o'").replaceAll('@accountId', '1');
    db.prepare(text).all({ domainKeys: JSON.stringify(keys) });
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
  async createOlder(addresses) {
    const url = await server.createDatabase();
    await onPostgres(url, async (client) => {
      const before = POSTGRES_MIGRATIONS.indexOf(addToPostgres);
      await runPostgresMigrations(client, POSTGRES_MIGRATIONS.slice(0, before));
      await client.query('UPDATE countersign.schema_version SET version = $1', [before]);
      await client.query(OWNER.replace('owners', 'countersign.owners'));
      await client.query(
        `INSERT INTO countersign.known_recipients (owner_id, account_id, address, since_ms, times)
        SELECT 'o', 1, address, 0, 2 FROM unnest($1::text[]) AS added (address)`,
        [addresses],
      );
    });
    return url;
  },
  upgradeWithoutKeys: (location) =>
    onPostgres(location, async (client) => {
      const version = POSTGRES_MIGRATIONS.indexOf(addEndingsToPostgres);
      const missing = POSTGRES_MIGRATIONS.slice(POSTGRES_MIGRATIONS.indexOf(addToPostgres), version);
      await runPostgresMigrations(client, missing);
      await client.query('DELETE FROM countersign.known_domain_keys');
      await client.query('UPDATE countersign.schema_version SET version = $1', [version]);
    }),
  open: (location) => postgresStorage({ connectionString: location }),
  rowsRead: (location, keys) =>
    onPostgres(location, async (client) => {
      const text = POSTGRES_STATEMENTS.known_domains
        .replaceAll('@ownerId', "'o'")
        .replaceAll('@accountId', '1')
        .replaceAll('@domainKeys', '$1');
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

    it('of an earlier version are found, and counted on', async () => {
      const written = [
        'a@mail.bank.example',
        'a@bank.example',
        'b@bank.example',
        'a@b@atlas.test',
        'nobody',
        'a@',
      ];
      const storage = kind.open(await kind.createOlder(written));
      const found = (...used: string[]) => storage.knownDomains('o', 1, usedDomainKeys(used));
      const before = new Map([
        ['atlas.test', 2],
        ['bank.example', 4],
        ['mail.bank.example', 2],
        ['nobody', 2],
      ]);
      expect(await found('atlas.test', 'mail.bank.example', 'nobody')).toEqual(before);
      expect(await found('bamk.example')).toEqual(new Map([['bank.example', 4]]));
      const news = ['a', 'b', 'c'].map((name) => `${name}@mail.bank.example`);
      await storage.rememberRecipients('o', 1, [...news, ...news], NOON);
      const after = new Map([...before, ['mail.bank.example', 6]]);
      expect(await found('atlas.test', 'mail.bank.example', 'nobody')).toEqual(after);
      expect((await found('bamk.example')).get('mail.bank.example')).toBe(6);
      await storage.close();
    });

    it('whose keys an earlier version stored are found under another ending', async () => {
      const location = await kind.createOlder(['a@kestrel.com', 'a@mail.harbour.co.uk']);
      const keys = (used: string) => usedDomainKeys([used]);
      await kind.upgradeWithoutKeys(location);
      const storage = kind.open(location);
      const found = async (used: string) => [...(await storage.knownDomains('o', 1, keys(used))).keys()];
      expect(await found('kestrel.org')).toEqual(['kestrel.com']);
      expect(await found('www.harbour.example')).toEqual(['mail.harbour.co.uk']);
      expect(await found('bakery.org')).toEqual([]);
      await storage.close();
    });

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
        const location = await kind.createOlder(domains.map((domain) => `a@${domain}`));
        const storage = kind.open(location);
        const found = await storage.knownDomains('o', 1, usedDomainKeys(used));
        await storage.close();
        expect(few.slice(0, 5).filter((domain) => !found.has(domain))).toEqual([]);
        return kind.rowsRead(location, keys);
      };
      const [small, large] = [await read(few), await read(many)];
      expect(small).toBeGreaterThan(0);
      expect(large).toBeLessThan(200);
    });
  });
});

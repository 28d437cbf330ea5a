import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  MIGRATIONS as POSTGRES_MIGRATIONS,
  runMigrations as runPostgresMigrations,
} from '../../../adapters/postgres/migrations.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import {
  runMigrations as runSqliteMigrations,
  MIGRATIONS as SQLITE_MIGRATIONS,
} from '../../../adapters/sqlite/migrations.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { callWith } from '../../open-service.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, onPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { buildCli, type Cli } from './cli-process.ts';
import { DUE, deliveriesOf, fillDatabase, openStored } from './stored-scene.ts';

/** The key was rotated: the old one is only read. */
const [OLD, NEW] = [randomBytes(32), randomBytes(32)];

let cli: Cli;
let postgres: Postgres | undefined;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(async () => {
  await postgres?.stop();
  cli?.remove();
});

let files = 0;
const fileOf = (url: string) => url.slice('file:'.length);

interface Kind {
  readonly name: string;
  readonly missing: string[];
  readonly newest: number;
  /** A version with webhooks, that had neither notices nor notes of the owner. */
  readonly older: number;
  createUrl(): Promise<string>;
  open(url: string): Storage;
  /** Creates the schema of an earlier version, with those columns of a database of today that it has. */
  downgraded(url: string, version: number): Promise<string>;
  versionOf(url: string): Promise<number>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'SQLite',
    missing: [],
    newest: SQLITE_MIGRATIONS.length,
    older: 17,
    async createUrl() {
      files += 1;
      mkdirSync(join(cli.folder, `${files}`));
      return `file:${join(cli.folder, `${files}`, 'it.db')}`;
    },
    open: (url) => sqliteStorage({ file: fileOf(url) }),
    async downgraded(url, version) {
      const older = await this.createUrl();
      const db = new SqliteDatabase(fileOf(older));
      runSqliteMigrations(db, SQLITE_MIGRATIONS.slice(0, version));
      db.pragma(`user_version = ${version}`);
      db.pragma('foreign_keys = OFF');
      db.exec(`ATTACH '${fileOf(url)}' AS newer`);
      const columnsOf = (schema: string, table: string) =>
        db.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}', '${schema}')`).pluck().all();
      for (const table of db
        .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
        .pluck()
        .all()) {
        const kept = columnsOf('newer', table);
        const columns = columnsOf('main', table).filter((column) => kept.includes(column));
        if (columns.length === 0) continue;
        db.exec(`DELETE FROM main.${table};
          INSERT INTO main.${table} (${columns.join()}) SELECT ${columns.join()} FROM newer.${table}`);
      }
      db.close();
      return older;
    },
    async versionOf(url) {
      const db = new SqliteDatabase(fileOf(url), { readonly: true });
      const version = Number(db.pragma('user_version', { simple: true }));
      db.close();
      return version;
    },
  },
  {
    name: 'Postgres',
    missing: [...missingPostgres(), ...missingPrograms(['/usr/bin/pg_dump', '/usr/bin/psql'])],
    newest: POSTGRES_MIGRATIONS.length,
    older: 15,
    async createUrl() {
      postgres ??= await startPostgres();
      return postgres.createDatabase();
    },
    open: (url) => postgresStorage({ connectionString: url }),
    downgraded: (url, version) =>
      onPostgres(url, async (client) => {
        await client.query('ALTER SCHEMA countersign RENAME TO newer');
        await runPostgresMigrations(client, POSTGRES_MIGRATIONS.slice(0, version));
        await client.query('SET session_replication_role = replica');
        const { rows } = await client.query<{ table_name: string; columns: string }>(`
          SELECT table_name, string_agg(quote_ident(column_name), ',') AS columns
          FROM information_schema.columns AS c
          WHERE table_schema = 'countersign' AND EXISTS (SELECT 1 FROM information_schema.columns AS n
            WHERE n.table_schema = 'newer' AND n.table_name = c.table_name AND n.column_name = c.column_name)
          GROUP BY table_name`);
        for (const { table_name: table, columns } of rows) {
          await client.query(`DELETE FROM countersign.${table};
            INSERT INTO countersign.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
        }
        await client.query('DROP SCHEMA newer CASCADE');
        await client.query('UPDATE countersign.schema_version SET version = $1', [version]);
        return url;
      }),
    versionOf: (url) =>
      onPostgres(url, async (client) => {
        const { rows } = await client.query<{ version: number }>(
          'SELECT version FROM countersign.schema_version',
        );
        return rows[0]?.version ?? 0;
      }),
  },
];

describe.each(KINDS)('$name', (kind) => {
  describe.skipIf(kind.missing.length > 0)(
    titledWithout(kind.missing, 'a database of an earlier version'),
    () => {
      const settings = (url: string) => ({
        COUNTERSIGN_DATABASE_URL: url,
        COUNTERSIGN_SECRET_KEY: [NEW, OLD].map((key) => key.toString('base64')).join(','),
      });

      it.each([kind.newest - 1, kind.older])(
        'continues with everything, restored or in place: %i',
        async (version) => {
          const url = await kind.createUrl();
          const { service: before, ...filled } = await fillDatabase(kind.open(url), [OLD]);
          await before.stop();
          const older = await kind.downgraded(url, version);

          // A backup from before the upgrade is not upgraded, so an older program can restore it too.
          const file = join(cli.folder, `${kind.name}-${version}.backup`);
          const backup = await cli.run(['backup', file, '--json'], '', settings(older));
          expect([backup.stderr, JSON.parse(backup.stdout)]).toEqual([
            '',
            expect.objectContaining({ schema_version: version }),
          ]);
          const restored = await kind.createUrl();
          const done = await cli.run(['restore', file, '--json'], '', settings(restored));
          expect([done.code, done.stderr]).toEqual([0, '']);
          // Its keys are paused, as this version stores that.
          expect(await kind.versionOf(restored)).toBe(kind.newest);
          expect(JSON.parse(done.stdout)).toMatchObject({ paused: 1 });

          for (const each of [older, restored]) {
            const storage = kind.open(each);
            const { service, mail } = openStored(storage, [NEW, OLD]);
            await service.recover();
            const { ownerId, apiKey, waiting, approved } = filled;
            expect(await kind.versionOf(each)).toBe(kind.newest);
            expect(await callWith(service, apiKey, 'get_approval', { approval_id: waiting })).toMatchObject({
              approval: { state: 'pending' },
            });
            const state = (await storage.approval(ownerId, approved))?.state;
            expect(state).toBe(each === restored ? 'outcome_unknown' : 'approved');
            expect((await deliveriesOf(storage, ownerId)).filter(([, status]) => status === 500)).toEqual(
              DUE,
            );
            const digest = (await storage.approval(ownerId, waiting))?.digest ?? '';
            await service.approvals.approve(ownerId, waiting, digest);
            expect(mail.transmitted()).toHaveLength(1);
            await service.stop();
          }
        },
      );
    },
  );
});

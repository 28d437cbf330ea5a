import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { BASELINE } from '../../../adapters/sql/schema.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { addOwner } from '../../contracts/storage/scene.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { buildCli, type Cli } from './cli-process.ts';

const KEY = randomBytes(32).toString('base64');

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
  /** @returns the URL of a database that does not exist yet, or is empty */
  createUrl(): Promise<string>;
  open(url: string): Storage;
  /** Writes the version of another program into a database, as that program would. */
  setVersion(url: string, version: number): Promise<void>;
  /** What is in it, to compare. */
  contents(url: string): Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'SQLite',
    missing: [],
    async createUrl() {
      files += 1;
      mkdirSync(join(cli.folder, `${files}`));
      return `file:${join(cli.folder, `${files}`, 'it.db')}`;
    },
    open: (url) => sqliteStorage({ file: fileOf(url) }),
    async setVersion(url, version) {
      const db = new SqliteDatabase(fileOf(url));
      db.pragma(`user_version = ${version}`);
      if (version < BASELINE) db.pragma('application_id = 0');
      db.close();
    },
    contents: async (url) => readFileSync(fileOf(url), 'base64'),
  },
  {
    name: 'Postgres',
    missing: [...missingPostgres(), ...missingPrograms(['/usr/bin/pg_dump', '/usr/bin/psql'])],
    async createUrl() {
      postgres ??= await startPostgres();
      return postgres.createDatabase();
    },
    open: (url) => postgresStorage({ connectionString: url }),
    async setVersion(url, version) {
      await asked(url, `UPDATE countersign.schema_version SET version = ${version}`);
    },
    contents: (url) => asked(url, 'SELECT * FROM countersign.owners, countersign.schema_version'),
  },
];

describe.each(KINDS)('$name', (kind) => {
  describe.skipIf(kind.missing.length > 0)(titledWithout(kind.missing, 'a database'), () => {
    it.each([
      [
        'from before the first release',
        33,
        'from before the first release, and this program reads versions from',
      ],
      ['of a newer program', 9000, 'and this program knows versions up to'],
    ])('%s is refused by each command in one line, and stays as it is', async (_whose, version, why) => {
      const url = await kind.createUrl();
      const storage = kind.open(url);
      await addOwner(storage);
      await storage.close();
      await kind.setVersion(url, version);
      const before = await kind.contents(url);
      const backup = join(cli.folder, `${kind.name}-${version}.backup`);
      const env = { COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_SECRET_KEY: KEY, COUNTERSIGN_PORT: '0' };
      for (const args of [['serve'], ['doctor'], ['owner', 'add', 'o@example.org'], ['backup', backup]]) {
        const { code, stdout, stderr } = await cli.run(args, 'a password of an owner\n', env);
        // `doctor` says it in its report if it can have one.
        const said = [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line.includes(why));
        expect([args[0], code, said]).toEqual([
          args[0],
          1,
          [expect.stringContaining(`it has schema version ${version}`)],
        ]);
      }
      expect(existsSync(backup)).toBe(false);
      expect(await kind.contents(url)).toEqual(before);
    });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, onTestFinished } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';

/** A database, and a way to change it behind Countersign's back. */
export interface EditedStore {
  /** As another process would. */
  connect(): Storage;
  /** Runs statements without the constraints that the schema sets. */
  sql(text: string): Promise<void>;
}

async function sqlite(): Promise<EditedStore> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-altered-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'countersign.db');
  return {
    connect: () => sqliteStorage({ file }),
    async sql(text) {
      const db = new Database(file);
      db.pragma('foreign_keys = OFF');
      db.exec(text);
      db.close();
    },
  };
}

/** The databases that the tests of a file edit. There is one server of Postgres for the file, and each test has its own database. */
export function editedStores() {
  let starting: Promise<Postgres> | undefined;
  afterAll(async () => (await starting)?.stop());

  async function postgres(): Promise<EditedStore> {
    starting ??= startPostgres();
    const server = await starting;
    const location = await server.createDatabase();
    onTestFinished(() => server.dropDatabase(location));
    return {
      connect: () => postgresStorage({ connectionString: location }),
      async sql(text) {
        await asked(
          location,
          `SET session_replication_role = replica; SET search_path = countersign; ${text}`,
        );
      },
    };
  }

  return [
    { name: 'SQLite', open: sqlite, missing: [] },
    { name: 'Postgres', open: postgres, missing: missingPostgres() },
  ];
}

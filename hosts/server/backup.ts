import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { COMMON_OPTIONS, type Command, onlyPositional, readArguments } from './command.ts';
import { type Configuration, type DatabaseSetting, readConfiguration } from './configuration.ts';
import { hasTables, isDatabaseThere } from './database.ts';
import { createNewFile } from './new-file.ts';
import { keyPlace, requiredKeys } from './secret-key.ts';
import type { BackupContents } from './upkeep/backup-contents.ts';
import { backUpPostgres, readPostgresBackup, restorePostgres } from './upkeep/postgres-backup.ts';
import { backUpSqlite, isSqliteFile, prepareSqlite, readSqliteBackup } from './upkeep/sqlite-backup.ts';

export const backup: Command = {
  name: 'backup',
  usage: 'FILE',
  summary: 'writes the database to a new file, also while the server runs; the secret key is not in it',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const file = resolve(terminal.folder, onlyPositional(positionals, 'FILE'));
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { database } = configuration;
    if (!(await isDatabaseThere(database))) throw new Error(`There is no database at ${database.name}.`);
    const keyIds = createKeyring(requiredKeys(configuration), randomBytes).keyIds;
    const { schemaVersion } = await createNewFile(file, async (draft) => {
      if (database.kind === 'file') await backUpSqlite(database.file, draft);
      else await backUpPostgres(database.connectionString, draft);
      const contents = await contentsOf(database, draft);
      checkKeys(contents, keyIds, configuration);
      return contents;
    });
    terminal.print(
      { file, schema_version: schemaVersion, secret_key: keyPlace(configuration) },
      `The database ${database.name} is backed up to ${file}.\n` +
        `The secret key is not in it. Keep a copy of ${keyPlace(configuration)} too, in another place: without it, nobody can use the backup.`,
    );
  },
};

export const restore: Command = {
  name: 'restore',
  usage: 'FILE',
  summary: 'restores a backup to an empty database; stop the server first, and bring back the secret key',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const file = resolve(terminal.folder, onlyPositional(positionals, 'FILE'));
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { database } = configuration;
    await refuseUsed(database);
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
    const contents = await contentsOf(database, file);
    checkKeys(contents, createKeyring(requiredKeys(configuration), randomBytes).keyIds, configuration);
    if (database.kind === 'file') {
      mkdirSync(dirname(database.file), { recursive: true, mode: 0o700 });
      await createNewFile(database.file, (draft) => {
        copyFileSync(file, draft);
        prepareSqlite(draft);
      });
    } else await restorePostgres(database.connectionString, file);
    const { approved, pending } = contents;
    terminal.print(
      { database: database.name, outcome_unknown: approved, pending },
      [
        `${file} is restored to ${database.name}.`,
        'What happened after the backup was made is not in it:',
        `  ${requests(approved)} approved and had not ended. Each may have been carried out, so none runs again: ` +
          'they end as "outcome unknown" at the next start. Look in Sent.',
        `  ${requests(pending)} waiting, and still waits for a decision. Look in Sent before you approve.`,
        '  Every session has ended: sign in again.',
        '  Keys that were revoked, paused or changed since are as they were. Check them under Integrations.',
        'Next: countersign serve',
      ].join('\n'),
    );
  },
};

function requests(count: number): string {
  return count === 1 ? '1 request was' : `${count} requests were`;
}

/** Reads a backup of the configured kind of database. @throws Error with a message for the user */
async function contentsOf({ kind }: DatabaseSetting, file: string): Promise<BackupContents> {
  const isOfFile = isSqliteFile(file);
  if (kind === 'postgres' && isOfFile)
    throw new Error(`${file} is a backup of an SQLite database, and the configured one is Postgres.`);
  try {
    return await (kind === 'file' ? readSqliteBackup(file) : readPostgresBackup(file));
  } catch (cause) {
    throw new Error(`${file} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** @throws Error with a message for the user if something is there that a restore would replace */
async function refuseUsed(database: DatabaseSetting): Promise<void> {
  if (database.kind === 'postgres') {
    if (!(await hasTables(database))) return;
    throw new Error(
      `The database ${database.name} is not empty. Restore to another one, or remove what is there: ` +
        'DROP SCHEMA countersign CASCADE',
    );
  }
  // SQLite would apply the log of a lost database to the restored one.
  const found = ['', '-wal', '-shm', '-journal']
    .map((rest) => `${database.file}${rest}`)
    .filter((one) => existsSync(one));
  if (found.length === 0) return;
  throw new Error(
    `The database ${database.name} is not empty. Stop the server, and move away: ${found.join(' ')}`,
  );
}

function checkKeys({ keyIds }: BackupContents, ours: readonly string[], configuration: Configuration): void {
  const missing = [...keyIds].filter((id) => !ours.includes(id));
  if (missing.length === 0) return;
  throw new Error(
    `${keyPlace(configuration)} is not the secret key of this database: ` +
      (missing.length < keyIds.size
        ? 'a part of it was sealed with another key. Add that key.'
        : 'it was sealed with another key. Bring that key back.'),
  );
}

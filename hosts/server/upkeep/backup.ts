import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, truncateSync } from 'node:fs';
import { resolve } from 'node:path';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createKeyring, type Keyring } from '../../../core/secrets/keyring.ts';
import { COMMON_OPTIONS, type Command, onlyPositional, readArguments } from '../command.ts';
import { type Configuration, type DatabaseSetting, readConfiguration } from '../configuration.ts';
import { inDataFolder } from '../data-folder.ts';
import { isDatabaseThere, isUsableThere, reasonOf } from '../database.ts';
import { keyPlace, requiredKeys } from '../secret-key.ts';
import type { BackupContents } from './backup-contents.ts';
import { signBackup, signedBytes } from './backup-signature.ts';
import { createNewFile } from './new-file.ts';
import { pauseKeys } from './pause-keys.ts';
import { backUpPostgres, readPostgresBackup, restorePostgres } from './postgres-backup.ts';
import { backUpSqlite, isSqliteFile, prepareSqlite, readSqliteBackup } from './sqlite-backup.ts';

export const backup: Command = {
  name: 'backup',
  usage: 'FILE',
  summary: 'writes the database to a new file, also while the server runs',
  details: 'The secret key is not in it. Keep a copy of the key in another place.',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const file = resolve(terminal.folder, onlyPositional(positionals, 'FILE'));
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { database } = configuration;
    if (!(await isDatabaseThere(database))) throw new Error(`There is no database at ${database.name}.`);
    const keyring = createKeyring(requiredKeys(configuration), randomBytes);
    const { schemaVersion } = await createNewFile(file, async (draft) => {
      if (database.kind === 'file') await backUpSqlite(database.file, draft);
      else await backUpPostgres(database.connectionString, draft);
      const contents = await contentsOf(database, draft);
      checkKeys(contents, keyring.keyIds, configuration);
      await signBackup(draft, keyring);
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
  summary: 'restores a backup to an empty database',
  details:
    'Stop the server first, and bring back the secret key. Every key and sign-in is paused, and every session ends.',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    const file = resolve(terminal.folder, onlyPositional(positionals, 'FILE'));
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { database } = configuration;
    await refuseUsed(database);
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
    const contents = await contentsOf(database, file);
    const keyring = createKeyring(requiredKeys(configuration), randomBytes);
    checkKeys(contents, keyring.keyIds, configuration);
    const bytes = await usable(file, () => signedBytes(file, keyring));
    const paused = await restored(database, { file, bytes }, keyring);
    const { approved, pending } = contents;
    terminal.print(
      { database: database.name, outcome_unknown: approved, pending, paused },
      [
        `${file} is restored to ${database.name}.`,
        'What happened after the backup was made is not in it:',
        `  Requests that were approved and had not ended: ${approved}. They may have been carried out since, so they never ` +
          'run again, and end as "outcome unknown" at the next start. Look in Sent.',
        `  Requests that waited: ${pending}. They wait again. Look in Sent before you approve one.`,
        `  Keys and sign-ins: all are paused (${paused} now). Their programs may repeat what they did since, and one that ` +
          'you have revoked since is back. Resume or revoke each under Integrations.',
        '  Every session has ended: sign in again.',
        'Next: countersign serve',
      ].join('\n'),
    );
  },
};

/** Restores a backup that was checked. @param bytes  without its signature @returns how many keys and sign-ins it paused */
async function restored(
  database: DatabaseSetting,
  { file, bytes }: { readonly file: string; readonly bytes: number },
  keyring: Keyring,
): Promise<number> {
  if (database.kind === 'file') {
    return inDataFolder(database.file, () =>
      createNewFile(database.file, (draft) => {
        copyFileSync(file, draft);
        // The copy has the mode of the backup.
        chmodSync(draft, 0o600);
        truncateSync(draft, bytes);
        prepareSqlite(draft);
        return pauseKeys(sqliteStorage({ file: draft }), keyring);
      }),
    );
  }
  const { connectionString } = database;
  await restorePostgres(connectionString, file);
  try {
    return await pauseKeys(postgresStorage({ connectionString }), keyring);
  } catch (cause) {
    throw new Error(
      `${file} is restored to ${database.name}, but its keys are not paused: ${reasonOf(cause)}. ` +
        'Before you start the server, remove what was restored (DROP SCHEMA countersign CASCADE) and restore it again.',
      { cause },
    );
  }
}

/** Reads a backup of the configured kind of database. @throws Error with a message for the user */
async function contentsOf({ kind }: DatabaseSetting, file: string): Promise<BackupContents> {
  const isOfFile = isSqliteFile(file);
  if (kind === 'postgres' && isOfFile)
    throw new Error(`${file} is a backup of an SQLite database, and the configured one is Postgres.`);
  return usable(file, () => (kind === 'file' ? readSqliteBackup(file) : readPostgresBackup(file)));
}

/** @throws Error with a message for the user that names the file */
async function usable<Result>(file: string, read: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw new Error(`${file} cannot be used: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** @throws Error with a message for the user if something is there that a restore would replace */
async function refuseUsed(database: DatabaseSetting): Promise<void> {
  if (database.kind === 'postgres') {
    if (!(await isUsableThere(database))) return;
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

import { existsSync } from 'node:fs';
import { withAdvice } from '../../adapters/postgres/failure-advice.ts';
import { checkSchema, hasSchema } from '../../adapters/postgres/migrations.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Configuration, DatabaseSetting } from './configuration.ts';
import { inDataFolder } from './data-folder.ts';
import { configuredKeys } from './secret-key.ts';

export interface OpenedDatabase {
  readonly storage: Storage;
  readonly secretKeys: readonly Uint8Array[];
}

/**
 * Opens the configured database with its key, and creates both if they are missing.
 * @throws Error with a message for the user
 */
export async function openDatabase({ database, secretKeys }: Configuration): Promise<OpenedDatabase> {
  if (database.kind === 'file') {
    const { name, file } = database;
    return inDataFolder(file, () => {
      const keys = configuredKeys(secretKeys, { name, isUsed: existsSync(file) });
      return { storage: sqliteStorage({ file }), secretKeys: keys };
    });
  }
  const storage = await openPostgres(database);
  try {
    // Nothing is sealed before the first owner exists.
    const isUsed = (await storage.owners({ after: '', limit: 1 })).length > 0;
    const keys = configuredKeys(secretKeys, { name: database.name, isUsed });
    return { storage, secretKeys: keys };
  } catch (cause) {
    await storage.close();
    throw cause;
  }
}

type PostgresSetting = Extract<DatabaseSetting, { kind: 'postgres' }>;

async function openPostgres({ name, connectionString }: PostgresSetting): Promise<Storage> {
  const storage = postgresStorage({ connectionString });
  try {
    await storage.healthy();
    return storage;
  } catch (cause) {
    await storage.close();
    throw unusable(name, cause);
  }
}

/** Whether there is a database to open. Creates nothing. @throws Error with a message for the user */
export async function isDatabaseThere(database: DatabaseSetting): Promise<boolean> {
  return database.kind === 'file' ? existsSync(database.file) : look(database, hasSchema);
}

/**
 * The same for a database that is to be written: a Postgres one has all that Countersign needs.
 * @throws Error with a message for the user that says what it lacks
 */
export async function isUsableThere(database: DatabaseSetting): Promise<boolean> {
  return database.kind === 'file' ? existsSync(database.file) : look(database, checkSchema);
}

async function look(
  { name, connectionString }: PostgresSetting,
  has: (connectionString: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await has(connectionString);
  } catch (cause) {
    throw unusable(name, cause);
  }
}

function unusable(name: string, cause: unknown): Error {
  return new Error(`The database ${name} cannot be used: ${reasonOf(cause, withAdvice)}`, { cause });
}

/**
 * The innermost message of the driver or the server. Neither includes a password.
 * @param inWords  the words for that error. Default: its message
 */
export function reasonOf(error: unknown, inWords = ({ message }: Error) => message): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause, inWords);
  if (error instanceof AggregateError) return error.errors.map((one) => reasonOf(one, inWords)).join(', ');
  return inWords(error);
}

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Configuration, DatabaseSetting } from './configuration.ts';
import { keptSecretKey } from './secret-key.ts';

export interface OpenedDatabase {
  readonly storage: Storage;
  readonly secretKeys: readonly Uint8Array[];
}

/**
 * Opens the configured database, made where it is missing, with the key for it.
 * @throws Error for people
 */
export async function openDatabase({
  database,
  secretKeyFile,
  secretKeys,
}: Configuration): Promise<OpenedDatabase> {
  if (database.kind === 'file') {
    const { name, file } = database;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const keys = secretKeys ?? [keptSecretKey(secretKeyFile, { name, isUsed: existsSync(file) })];
    return { storage: sqliteStorage({ file }), secretKeys: keys };
  }
  const storage = await openPostgres(database);
  try {
    // Nothing is sealed before there is an owner.
    const isUsed = (await storage.owners()).length > 0;
    const keys = secretKeys ?? [keptSecretKey(secretKeyFile, { name: database.name, isUsed })];
    return { storage, secretKeys: keys };
  } catch (cause) {
    await storage.close();
    throw cause;
  }
}

type PostgresSetting = Extract<DatabaseSetting, { kind: 'postgres' }>;

async function openPostgres({ name, connectionString }: PostgresSetting): Promise<Storage> {
  const { postgresStorage } = await postgresAdapter();
  const storage = postgresStorage({ connectionString });
  try {
    await storage.healthy();
    return storage;
  } catch (cause) {
    await storage.close();
    throw new Error(`The database ${name} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Whether a Postgres database has our tables; nothing is made in it.
 * @throws Error for people
 */
export async function isMade({ name, connectionString }: PostgresSetting): Promise<boolean> {
  const { hasSchema } = await postgresAdapter();
  try {
    return await hasSchema(connectionString);
  } catch (cause) {
    throw new Error(`The database ${name} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Its driver is installed by those who want it. */
async function postgresAdapter() {
  try {
    const [{ postgresStorage }, { hasSchema }] = await Promise.all([
      import('../../adapters/postgres/storage.ts'),
      import('../../adapters/postgres/migrations.ts'),
    ]);
    return { postgresStorage, hasSchema };
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new Error('A Postgres database needs the package pg: npm install pg', { cause });
  }
}

/** What the driver or the server said, at the bottom of it; neither repeats a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error.message;
}

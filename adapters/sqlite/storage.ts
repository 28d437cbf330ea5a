import { randomBytes } from 'node:crypto';
import type { Storage } from '../../core/ports/storage.ts';
import { createStorage } from '../../core/storage/create-storage.ts';
import { openDatabase, storeNowMs } from './database.ts';
import { sqliteStore } from './store.ts';

/**
 * Opens storage in one SQLite file, which several processes of one machine may share.
 * @param file  a path, or `:memory:` for a store that ends with the process
 * @throws Error if the file cannot be opened, or if a newer program wrote it
 */
export function sqliteStorage({ file }: { file: string }): Storage {
  if (file === '')
    throw new Error('sqliteStorage: the option `file` is missing: the path of the database, or `:memory:`.');
  return createStorage(sqliteStore(openDatabase(file), storeNowMs), randomBytes);
}

import { randomBytes } from 'node:crypto';
import { checkOptions } from '../../core/contract/options.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createStorage } from '../../core/service/create-storage.ts';
import { openDatabase, storeNowMs } from './database.ts';
import { sqliteStore } from './store.ts';

/**
 * Opens storage in one SQLite file, which several processes of one machine may share.
 * @param options  `file`: a path, or `:memory:` for a store that ends with the process
 * @throws Error if the file cannot be opened, or if a newer program wrote it
 */
export function sqliteStorage(options: { file: string }): Storage {
  checkOptions('sqliteStorage', options, { file: ['required', 'string'] });
  return createStorage(sqliteStore(openDatabase(options.file), storeNowMs), randomBytes);
}

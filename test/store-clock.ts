import { randomBytes } from 'node:crypto';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteStore } from '../adapters/sqlite/store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createStorage } from '../core/storage/create-storage.ts';

/**
 * Opens SQLite with the test's clock as its own, so that limits and leases follow a clock that tests can
 * move.
 */
export function sqliteOnClock(file: string, nowMs: () => number): Storage {
  return createStorage(sqliteStore(openDatabase(file), nowMs), randomBytes);
}

import { randomBytes } from 'node:crypto';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteStore } from '../adapters/sqlite/store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { createStorage } from '../core/storage/create-storage.ts';

/** SQLite whose own clock is the test's, which can be moved: limits and leases are judged by it. */
export function sqliteOnClock(file: string, nowMs: () => number): Storage {
  return createStorage(sqliteStore(openDatabase(file), nowMs), randomBytes);
}

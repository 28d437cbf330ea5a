import { randomBytes } from 'node:crypto';
import type { Storage } from '../../core/ports/storage.ts';
import { createStorage } from '../../core/storage/create-storage.ts';
import { openDatabase } from './database.ts';
import { postgresStore } from './store.ts';

/**
 * Storage in a Postgres database (tried on 15), in a schema `countersign` of its own; any number of processes may share
 * it. Nothing is connected before the first verb, which also makes or upgrades the schema: call `healthy` to know at
 * the start. A verb throws when the schema was written by a newer program.
 *
 * Each verb is one transaction. One that Postgres took back (a deadlock) is made again, a few times; one whose end
 * nobody knows, because the connection was lost at its COMMIT, throws and is not repeated.
 *
 * What is to be erased is deleted from the tables. Unlike a file of SQLite, nothing is overwritten: the bytes can be
 * found on the server's disk until it has vacuumed and reused their place, and in its log (WAL), replicas and backups
 * for as long as those are kept. Settings, plans, gists and stored answers are sealed; addresses and names are not.
 * @param connectionString `postgres://user:password@host:5432/database`, with what node-postgres reads in it, such as
 *   `?sslmode=verify-full`. The role must be able to make a schema, or find `countersign` made for it.
 */
export function postgresStorage({ connectionString }: { connectionString: string }): Storage {
  if (connectionString === '') {
    throw new Error(
      'postgresStorage: the option `connectionString` is missing: postgres://user:password@host/database',
    );
  }
  return createStorage(postgresStore(openDatabase(connectionString)), randomBytes);
}

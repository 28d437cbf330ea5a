import { randomBytes } from 'node:crypto';
import { checkOptions } from '../../core/contract/options.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createStorage } from '../../core/service/create-storage.ts';
import { openDatabase } from './database.ts';
import { postgresStore } from './store.ts';

/**
 * Opens storage in a Postgres database (13 or newer, tested with 15), in a separate schema `countersign`. Any number of
 * processes may share it. It connects only at the first verb, which also creates or upgrades the schema: call
 * `healthy` to find problems at the start. A verb throws an Error that says what to do if the database lacks something,
 * such as a right, or if a newer program wrote the schema. While the server is a standby, it is unavailable.
 *
 * Each verb is one transaction. If Postgres rolls it back (a deadlock), it runs again, a few times. If its
 * outcome is unknown, because the connection was lost at its COMMIT, it throws and is not repeated.
 *
 * Erased rows are deleted from the tables. Unlike in an SQLite file, nothing is overwritten: the bytes can be
 * found on the server's disk until it has vacuumed and reused their place, and in its log (WAL), replicas and
 * backups while those are kept. Settings, plans, gists, the owner's notes and changes, and stored answers are sealed;
 * addresses and names are not.
 * @param options  `connectionString`: `postgres://user:password@host:5432/database`,
 * `socket://user:password@/folder?db=database` or another form that node-postgres reads, with its parameters, such as
 * `?sslmode=verify-full`. One that it would read differently from what it says is refused. The role must be able to
 * create a schema, unless `countersign` was created for it.
 */
export function postgresStorage(options: { connectionString: string }): Storage {
  checkOptions('postgresStorage', options, { connectionString: ['required', 'string'] });
  return createStorage(postgresStore(openDatabase(options.connectionString)), randomBytes);
}

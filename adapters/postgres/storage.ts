import type { Storage } from '../../core/ports/storage.ts';
import { postgresAccounts } from './accounts.ts';
import { postgresActivity } from './activity.ts';
import { postgresApprovalLists } from './approval-lists.ts';
import { postgresApprovals } from './approvals.ts';
import { postgresCalls } from './calls.ts';
import { postgresClaims } from './claims.ts';
import { postgresCredentials } from './credentials.ts';
import { openDatabase, reading } from './database.ts';
import { postgresEvents } from './events.ts';
import { postgresOwners } from './owners.ts';
import { postgresPasswords } from './passwords.ts';
import { postgresRecipients } from './recipients.ts';
import { postgresRecovery } from './recovery.ts';
import { postgresSessions } from './sessions.ts';
import { postgresTrackers } from './trackers.ts';
import { postgresWatching } from './watching.ts';

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
 * for as long as those are kept. Settings, plans and stored answers are sealed; addresses and names are not.
 * @param connectionString `postgres://user:password@host:5432/database`, with what node-postgres reads in it, such as
 *   `?sslmode=verify-full`. The role must be able to make a schema, or find `countersign` made for it.
 */
export function postgresStorage({ connectionString }: { connectionString: string }): Storage {
  if (connectionString === '') {
    throw new Error(
      'postgresStorage: the option `connectionString` is missing: postgres://user:password@host/database',
    );
  }
  const db = openDatabase(connectionString);
  return {
    ...postgresCalls(db),
    ...postgresClaims(db),
    ...postgresApprovals(db),
    ...postgresRecovery(db),
    ...postgresApprovalLists(db),
    ...postgresRecipients(db),
    ...postgresEvents(db),
    ...postgresActivity(db),
    ...postgresCredentials(db),
    ...postgresOwners(db),
    ...postgresPasswords(db),
    ...postgresSessions(db),
    ...postgresAccounts(db),
    ...postgresTrackers(db),
    ...postgresWatching(db),
    healthy: reading(db, async ({ row }) => {
      await row('SELECT 1 FROM countersign.owners LIMIT 1', []);
    }),
    close: () => db.close(),
  };
}

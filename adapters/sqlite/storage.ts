import type { Storage } from '../../core/ports/storage.ts';
import { sqliteAccounts } from './accounts.ts';
import { sqliteActivity } from './activity.ts';
import { sqliteApprovalLists } from './approval-lists.ts';
import { approvalTable } from './approval-table.ts';
import { sqliteApprovals } from './approvals.ts';
import { sqliteCalls } from './calls.ts';
import { claimTable, sqliteClaims } from './claims.ts';
import { sqliteCredentials } from './credentials.ts';
import { openDatabase, reading } from './database.ts';
import { sqliteEvents } from './events.ts';
import { sqliteOwners } from './owners.ts';
import { sqlitePasswords } from './passwords.ts';
import { sqliteRecipients } from './recipients.ts';
import { sqliteRecovery } from './recovery.ts';
import { sqliteSessions } from './sessions.ts';
import { linkTable } from './tracker-links.ts';
import { sqliteTrackers } from './trackers.ts';
import { sqliteWatching } from './watching.ts';

/**
 * Storage in one SQLite file, which several processes of one machine may share.
 * @param file a path, or `:memory:` for a store that ends with the process
 * @throws when the file cannot be opened, or was written by a newer program
 */
export function sqliteStorage({ file }: { file: string }): Storage {
  if (file === '')
    throw new Error('sqliteStorage: the option `file` is missing: the path of the database, or `:memory:`.');
  const db = openDatabase(file);
  const approvals = approvalTable(db);
  const claims = claimTable(db, approvals);
  const links = linkTable(db);
  const anyRow = db.prepare('SELECT 1 FROM owners LIMIT 1');
  return {
    ...sqliteCalls(db, claims),
    ...sqliteClaims(db, approvals),
    ...sqliteApprovals(db, approvals, claims),
    ...sqliteRecovery(db, approvals),
    ...sqliteApprovalLists(db, approvals),
    ...sqliteRecipients(db),
    ...sqliteEvents(db),
    ...sqliteActivity(db),
    ...sqliteCredentials(db, approvals),
    ...sqliteOwners(db),
    ...sqlitePasswords(db),
    ...sqliteSessions(db),
    ...sqliteAccounts(db, approvals),
    ...sqliteTrackers(db, links),
    ...sqliteWatching(db, links),
    healthy: reading(() => {
      anyRow.get();
    }),
    close: async () => {
      db.close();
    },
  };
}

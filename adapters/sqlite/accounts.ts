import type { Database } from 'better-sqlite3';
import { changedRoles, folderRolesText } from '../../core/folders/roles.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { readAccounts, readRoles } from '../rows/account.ts';
import { integer, type Row } from '../rows/row.ts';
import type { ApprovalTable } from './approval-table.ts';
import { durable, reading } from './database.ts';

export function sqliteAccounts(
  db: Database,
  approvals: ApprovalTable,
): Pick<Storage, 'addAccount' | 'accounts' | 'changeFolderRoles' | 'activateAccount' | 'removeAccount'> {
  const nextId = db.prepare<[string], Row>(
    'UPDATE owners SET last_account_id = last_account_id + 1 WHERE owner_id = ? RETURNING last_account_id',
  );
  const insert = db.prepare(`
    INSERT INTO accounts
      (owner_id, account_id, label, email, signature, sealed_settings, folder_roles, created_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const rolesOf = db.prepare<[string, number], Row>(
    'SELECT folder_roles FROM accounts WHERE owner_id = ? AND account_id = ?',
  );
  const setRoles = db.prepare('UPDATE accounts SET folder_roles = ? WHERE owner_id = ? AND account_id = ?');
  const ofOwner = db.prepare<[string], Row>('SELECT * FROM accounts WHERE owner_id = ? ORDER BY account_id');
  const activate = db.prepare(`
    UPDATE owners SET active_account_id = @accountId
    WHERE owner_id = @ownerId
      AND EXISTS (SELECT 1 FROM accounts WHERE owner_id = @ownerId AND account_id = @accountId)`);
  // The one that is active stays so; else it is the oldest that there is.
  const activateOldest = db.prepare(`
    UPDATE owners SET active_account_id = (SELECT min(account_id) FROM accounts WHERE owner_id = @ownerId)
    WHERE owner_id = @ownerId
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE owner_id = @ownerId AND account_id = owners.active_account_id)`);
  const remove = db.prepare('DELETE FROM accounts WHERE owner_id = ? AND account_id = ?');
  const waitsForTarget = db.prepare(`
    SELECT 1 FROM waiting_targets
    WHERE owner_id = ? AND approval_id = ? AND substr(target, 1, length(?)) = ?`);
  const forgetRecipients = db.prepare('DELETE FROM known_recipients WHERE owner_id = ? AND account_id = ?');

  const removeRows = durable(
    db,
    ({ ownerId, accountId, targetsBegin, now }: Parameters<Storage['removeAccount']>[0]) => {
      if (remove.run(ownerId, accountId).changes === 0) return false;
      forgetRecipients.run(ownerId, accountId);
      activateOldest.run({ ownerId });
      approvals.cancelWaiting(
        ownerId,
        (approval) =>
          approval.accountId === accountId ||
          waitsForTarget.get(ownerId, approval.id, targetsBegin, targetsBegin) !== undefined,
        'account_removed',
        now,
      );
      return true;
    },
  );

  return {
    addAccount: durable(db, ({ ownerId, label, email, signature, seal, folderRoles, now }) => {
      const owner = nextId.get(ownerId);
      if (owner === undefined) throw new Error('There is no such owner to add an account to.');
      const accountId = integer(owner, 'last_account_id');
      const roles = folderRolesText(folderRoles);
      insert.run(ownerId, accountId, label, email, signature, seal(accountId), roles, now.getTime());
      activateOldest.run({ ownerId });
      const added = readAccounts(ofOwner.all(ownerId)).find((account) => account.accountId === accountId);
      if (added === undefined) throw new Error('An account that was inserted is not there.');
      return added;
    }),
    accounts: reading((ownerId) => readAccounts(ofOwner.all(ownerId))),
    changeFolderRoles: durable(db, ({ ownerId, accountId, change }) => {
      const row = rolesOf.get(ownerId, accountId);
      if (row === undefined) return undefined;
      const before = readRoles(row);
      const after = changedRoles(before, change);
      if (after !== null && after !== before) setRoles.run(folderRolesText(after), ownerId, accountId);
      return after;
    }),
    activateAccount: durable(db, (ownerId, accountId) => activate.run({ ownerId, accountId }).changes === 1),
    async removeAccount(request) {
      const removed = await removeRows(request);
      // The log would keep the sealed settings until others have written over them. A reader can put this off.
      if (removed) db.pragma('wal_checkpoint(TRUNCATE)');
      return removed;
    },
  };
}

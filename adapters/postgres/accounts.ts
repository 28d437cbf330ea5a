import { changedRoles, folderRolesText } from '../../core/folders/roles.ts';
import type { Account, Storage } from '../../core/ports/storage.ts';
import { readAccounts, readRoles } from '../rows/account.ts';
import { integer, text } from '../rows/row.ts';
import { cancelWaiting, waitingApprovals } from './approval-table.ts';
import { type Database, durable, type Queries, reading } from './database.ts';
import { lockOwner } from './owner-lock.ts';

const NEXT_ID = `
  UPDATE countersign.owners SET last_account_id = last_account_id + 1 WHERE owner_id = $1 RETURNING last_account_id`;
const INSERT = `
  INSERT INTO countersign.accounts
    (owner_id, account_id, label, email, signature, sealed_settings, folder_roles, created_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
const OF_OWNER = {
  name: 'countersign-accounts-2',
  text: `
    SELECT owner_id, account_id, label, email, signature, sealed_settings, folder_roles
    FROM countersign.accounts WHERE owner_id = $1 ORDER BY account_id`,
};
const ROLES_OF = 'SELECT folder_roles FROM countersign.accounts WHERE owner_id = $1 AND account_id = $2';
const SET_ROLES = 'UPDATE countersign.accounts SET folder_roles = $3 WHERE owner_id = $1 AND account_id = $2';
const ACTIVATE = `
  UPDATE countersign.owners SET active_account_id = $2
  WHERE owner_id = $1 AND EXISTS (SELECT 1 FROM countersign.accounts WHERE owner_id = $1 AND account_id = $2)`;
// The one that is active stays so; else it is the oldest that there is.
const ACTIVATE_OLDEST = `
  UPDATE countersign.owners o
  SET active_account_id = (SELECT min(account_id) FROM countersign.accounts WHERE owner_id = $1)
  WHERE owner_id = $1 AND NOT EXISTS (
    SELECT 1 FROM countersign.accounts a WHERE a.owner_id = $1 AND a.account_id = o.active_account_id)`;
const REMOVE = 'DELETE FROM countersign.accounts WHERE owner_id = $1 AND account_id = $2';
const WAIT_FOR_TARGET = `
  SELECT DISTINCT approval_id FROM countersign.waiting_targets WHERE owner_id = $1 AND starts_with(target, $2)`;
const FORGET_RECIPIENTS = 'DELETE FROM countersign.known_recipients WHERE owner_id = $1 AND account_id = $2';

export function postgresAccounts(
  db: Database,
): Pick<Storage, 'addAccount' | 'accounts' | 'changeFolderRoles' | 'activateAccount' | 'removeAccount'> {
  return {
    addAccount: durable(db, async (tx, { ownerId, label, email, signature, seal, folderRoles, now }) => {
      await lockOwner(tx, ownerId);
      const owner = await tx.row(NEXT_ID, [ownerId]);
      if (owner === undefined) throw new Error('There is no such owner to add an account to.');
      const accountId = integer(owner, 'last_account_id');
      const kept = [seal(accountId), folderRolesText(folderRoles), now.getTime()];
      await tx.run(INSERT, [ownerId, accountId, label, email, signature, ...kept]);
      await tx.run(ACTIVATE_OLDEST, [ownerId]);
      const added = (await accountsOf(tx, ownerId)).find((account) => account.accountId === accountId);
      if (added === undefined) throw new Error('An account that was inserted is not there.');
      return added;
    }),
    accounts: reading(db, accountsOf),
    changeFolderRoles: durable(db, async (tx, { ownerId, accountId, change }) => {
      await lockOwner(tx, ownerId);
      const row = await tx.row(ROLES_OF, [ownerId, accountId]);
      if (row === undefined) return undefined;
      const before = readRoles(row);
      const after = changedRoles(before, change);
      if (after !== null && after !== before) {
        await tx.run(SET_ROLES, [ownerId, accountId, folderRolesText(after)]);
      }
      return after;
    }),
    activateAccount: durable(db, async (tx, ownerId, accountId) => {
      await lockOwner(tx, ownerId);
      return (await tx.run(ACTIVATE, [ownerId, accountId])) === 1;
    }),
    removeAccount: durable(db, async (tx, { ownerId, accountId, targetsBegin, now }) => {
      await lockOwner(tx, ownerId);
      if ((await tx.run(REMOVE, [ownerId, accountId])) === 0) return false;
      await tx.run(FORGET_RECIPIENTS, [ownerId, accountId]);
      await tx.run(ACTIVATE_OLDEST, [ownerId]);
      const named = await tx.rows(WAIT_FOR_TARGET, [ownerId, targetsBegin]);
      const namedIds = new Set(named.map((row) => text(row, 'approval_id')));
      const concerned = (await waitingApprovals(tx, ownerId)).filter(
        (approval) => approval.accountId === accountId || namedIds.has(approval.id),
      );
      await cancelWaiting(tx, concerned, 'account_removed', now);
      return true;
    }),
  };
}

export async function accountsOf(db: Queries, ownerId: string): Promise<readonly Account[]> {
  return readAccounts(await db.rows(OF_OWNER, [ownerId]));
}

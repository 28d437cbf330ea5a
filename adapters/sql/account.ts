import { readFolderRoles } from '../../core/folders/roles.ts';
import type { Account } from '../../core/ports/account.ts';
import { remembering } from '../../core/state/remembering.ts';
import { GRANT_COLUMNS, readGrant } from './grant.ts';
import { integer, type Row, text, textOrNull } from './row.ts';

/** The columns that `readAccounts` reads, and the time of the next look at the servers. */
export const ACCOUNT_COLUMNS = `owner_id, account_id, label, email, display_name, signature, sealed_settings,
  settings_revision, folder_roles, authserv_id, next_check_ms, ${GRANT_COLUMNS}`;

/** @param rows  all accounts of one owner, oldest first */
export function readAccounts(rows: readonly Row[]): readonly Account[] {
  return rows.map((row, index) => ({
    ownerId: text(row, 'owner_id'),
    accountId: integer(row, 'account_id'),
    label: text(row, 'label'),
    email: text(row, 'email'),
    displayName: text(row, 'display_name'),
    signature: text(row, 'signature'),
    sealedSettings: text(row, 'sealed_settings'),
    revision: integer(row, 'settings_revision'),
    isPrimary: index === 0,
    folderRoles: rolesIn(text(row, 'folder_roles')),
    authservId: textOrNull(row, 'authserv_id'),
    grant: readGrant(row),
  }));
}

const rolesIn = remembering(readFolderRoles);

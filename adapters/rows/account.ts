import { type FolderRoles, readFolderRoles } from '../../core/folders/roles.ts';
import type { Account } from '../../core/ports/storage.ts';
import { integer, type Row, text, textOrNull } from './row.ts';

/** @param rows all accounts of one owner, oldest first */
export function readAccounts(rows: readonly Row[]): readonly Account[] {
  return rows.map((row, index) => ({
    ownerId: text(row, 'owner_id'),
    accountId: integer(row, 'account_id'),
    label: text(row, 'label'),
    email: text(row, 'email'),
    signature: text(row, 'signature'),
    sealedSettings: text(row, 'sealed_settings'),
    isPrimary: index === 0,
    folderRoles: readRoles(row),
  }));
}

/** Null: not decided yet. */
function readRoles(row: Row): FolderRoles | null {
  const roles = textOrNull(row, 'folder_roles');
  return roles === null ? null : readFolderRoles(roles);
}

import { type Finding, good, lacking } from '../../../adapters/remote/finding.ts';
import type { MailFolder } from '../../../core/folders/folder.ts';
import {
  CREATED_NAMES,
  type FolderRoles,
  isCreatable,
  PINNED_ROLES,
  type Pin,
} from '../../../core/folders/roles.ts';

/** Reports which folder has which role, and whether it still exists. */
export function folderFindings(roles: FolderRoles, folders: readonly MailFolder[]): readonly Finding[] {
  return PINNED_ROLES.map((role) => {
    const check = `folder_${role}`;
    const { path, by } = roles[role];
    if (path === null) {
      const otherwise =
        by === 'absent' && isCreatable(role)
          ? `“${CREATED_NAMES[role]}” is created when needed`
          : 'none is used';
      return lacking(check, `There is no folder for ${role}: ${otherwise}.`);
    }
    return folders.some((folder) => folder.path === path)
      ? good(check, `The folder for ${role} is “${path}” (${REASONS[by]}).`)
      : lacking(check, `The folder for ${role}, “${path}”, is gone. Choose another on the accounts page.`);
  });
}

const REASONS: Readonly<Record<Pin['by'], string>> = {
  special_use: 'the server says so',
  name: 'recognised by its name',
  owner: 'the owner chose it',
  made: 'Countersign created it',
  absent: 'none was found',
};

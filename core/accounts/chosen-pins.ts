import { type ArgumentError, invalidArguments } from '../contract/schema.ts';
import type { MailFolder } from '../folders/folder.ts';
import {
  changedRoles,
  type FolderRoles,
  isCreatable,
  isInbox,
  PINNED_ROLES,
  type Pin,
  type PinnedRole,
} from '../folders/roles.ts';

/** `made`: Countersign creates a folder when it needs one. `none`: the role has no folder. */
export type FolderChoice = { readonly path: string } | 'made' | 'none';

export type FolderChoices = Readonly<Partial<Record<PinnedRole, FolderChoice>>>;

/**
 * Turns the owner's choices into pins. Choosing what is already pinned keeps the record of how it was
 * decided.
 * @throws ServiceError invalid_arguments with an error for each impossible choice
 */
export function chosenPins(
  choices: FolderChoices,
  roles: FolderRoles,
  folders: readonly MailFolder[],
): Partial<Record<PinnedRole, Pin>> {
  const errors: ArgumentError[] = [];
  const pins: Partial<Record<PinnedRole, Pin>> = {};
  for (const role of PINNED_ROLES) {
    const choice = choices[role];
    if (choice === undefined) continue;
    const pin = pinOf(choice, role, folders, roles[role]);
    if (typeof pin === 'string') errors.push({ field: role, rule: 'folder', message: pin });
    else pins[role] = pin;
  }
  const after = changedRoles(roles, { type: 'choose', pins }) ?? roles;
  for (const role of PINNED_ROLES) {
    const { path } = after[role];
    const twin = PINNED_ROLES.find((other) => other !== role && path !== null && after[other].path === path);
    if (pins[role] !== undefined && twin !== undefined) {
      errors.push({ field: role, rule: 'unique', message: `is also the folder for ${twin}` });
    }
  }
  if (errors.length > 0) throw invalidArguments(errors);
  return pins;
}

/** @returns a string that describes what is wrong with the choice, or the pin */
function pinOf(
  choice: FolderChoice,
  role: PinnedRole,
  folders: readonly MailFolder[],
  current: Pin,
): Pin | string {
  if (choice === 'none') {
    // If Countersign never creates this folder, "none found" and "none wanted" mean the same.
    return current.path === null && !isCreatable(role) ? current : { path: null, by: 'owner' };
  }
  if (choice === 'made') {
    return isCreatable(role) ? { path: null, by: 'absent' } : 'is not a folder that Countersign creates';
  }
  const { path } = choice;
  if (path === current.path) return current;
  if (isInbox(path)) return 'cannot be the inbox';
  return folders.some((folder) => folder.path === path)
    ? { path, by: 'owner' }
    : 'is no longer a folder of this account';
}

import type { FolderRole, MailFolder } from '../folders/folder.ts';
import { CREATED_NAMES, type CreatableRole, type FolderRoles, isInbox, roleOf } from '../folders/roles.ts';
import { MailError } from '../ports/mail.ts';
import type { MailChanging } from '../ports/mail-changing.ts';
import type { Storage } from '../ports/storage.ts';
import type { Mailbox } from './mail-call.ts';

/** Reads the folders of an account, with their pinned roles. */

interface FolderMakingPorts {
  readonly mail: Pick<MailChanging, 'createFolder'>;
  readonly storage: Pick<Storage, 'changeFolderRoles'>;
}

export type WithRole<F extends MailFolder> = F & { readonly role: FolderRole | null };

export function withRoles<F extends MailFolder>(
  folders: readonly F[],
  roles: FolderRoles,
): readonly WithRole<F>[] {
  return folders.map((folder) => ({
    ...folder,
    role: isInbox(folder.path) ? 'inbox' : roleOf(folder.path, roles),
  }));
}

/**
 * The folder for a role, created if it is missing. If the role had no folder, it is pinned to the new one.
 * @throws MailError `not_found` if the owner wants no folder for the role
 */
export async function folderForRole(
  ports: FolderMakingPorts,
  mailbox: Mailbox,
  role: CreatableRole,
): Promise<string> {
  const pin = mailbox.account.folderRoles[role];
  if (pin.path === null && pin.by === 'owner') throw noFolderFor(role);
  const path = await ports.mail.createFolder(mailbox.call, pin.path ?? CREATED_NAMES[role]);
  if (pin.path !== null) return path;
  const roles = await saveRoles(ports.storage, mailbox, { type: 'made', role, path });
  // Another process was faster, or the owner has chosen a different folder in the meantime.
  const { path: pinned } = roles[role];
  if (pinned === null) throw noFolderFor(role);
  return pinned;
}

function noFolderFor(role: CreatableRole): MailError {
  return new MailError('not_found', `no folder of the account may be used for ${role}`);
}

async function saveRoles(
  storage: FolderMakingPorts['storage'],
  { account: { ownerId, accountId } }: Mailbox,
  change: Parameters<Storage['changeFolderRoles']>[0]['change'],
): Promise<FolderRoles> {
  const roles = await storage.changeFolderRoles({ ownerId, accountId, change });
  if (roles === undefined) throw new MailError('refused', 'the account is no longer connected');
  return roles;
}

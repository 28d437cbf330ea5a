import { withRoles } from '../core/accounts/account-folders.ts';
import { decideRoles } from '../core/folders/decide-roles.ts';
import type { FolderRoles } from '../core/folders/roles.ts';
import type { MailCall } from '../core/ports/mail.ts';
import type { Mail } from '../core/ports/ports.ts';

/** The roles of an account whose folders have common names. */
export const USUAL_ROLES: FolderRoles = {
  sent: { path: 'Sent', by: 'special_use' },
  drafts: { path: 'Drafts', by: 'special_use' },
  spam: { path: 'Spam', by: 'name' },
  trash: { path: 'Trash', by: 'name' },
  archive: { path: null, by: 'absent' },
};

/** Returns the path of the folder to which core gives the role; empty if there is none. */
export async function pathOfRole(mail: Pick<Mail, 'folders'>, call: MailCall, role: string): Promise<string> {
  const folders = await mail.folders(call);
  return withRoles(folders, decideRoles(folders)).find((folder) => folder.role === role)?.path ?? '';
}

/** Builds a label that may be copied into any folder of its name. */
export function labelled(name: string): { name: string; mayCopyInto(path: string): boolean } {
  return { name, mayCopyInto: () => true };
}

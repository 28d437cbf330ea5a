import type { MailFolder } from '../ports/mail.ts';
import { roleByName } from './named-role.ts';
import { type FolderRoles, isInbox, type Pin, type PinnedRole } from './roles.ts';

/**
 * Decides the roles of an account from its folders: what the server says (RFC 6154) comes before names, and a common
 * name before a rare one. Pure.
 */
export function decideRoles(folders: readonly MailFolder[]): FolderRoles {
  const candidates = folders.filter(({ path }) => !isInbox(path));
  return {
    sent: decidePin('sent', candidates),
    drafts: decidePin('drafts', candidates),
    spam: decidePin('spam', candidates),
    trash: decidePin('trash', candidates),
    archive: decidePin('archive', candidates),
  };
}

function decidePin(role: PinnedRole, folders: readonly MailFolder[]): Pin {
  const said = folders.filter(({ specialUse }) => specialUse === role);
  const [first] = said.toSorted((a, b) => compare(rankOf(role, a), rankOf(role, b)) || byPath(a, b));
  if (first !== undefined) return { path: first.path, by: 'special_use' };
  // A folder that the server gives another role has that one.
  const named = folders.filter((folder) => folder.specialUse === null && rankOf(role, folder) !== UNNAMED);
  const [nearest] = named.toSorted(
    (a, b) => depthOf(a) - depthOf(b) || compare(rankOf(role, a), rankOf(role, b)) || byPath(a, b),
  );
  return nearest === undefined ? { path: null, by: 'absent' } : { path: nearest.path, by: 'name' };
}

const UNNAMED = Number.POSITIVE_INFINITY;

function rankOf(role: PinnedRole, folder: MailFolder): number {
  const named = roleByName(partsOf(folder).at(-1) ?? '');
  return named?.role === role ? named.rank : UNNAMED;
}

/** How many folders it lies in. Some servers keep every folder in the inbox. */
function depthOf(folder: MailFolder): number {
  const parts = partsOf(folder);
  return parts.length - (isInbox(parts[0] ?? '') ? 1 : 0);
}

function partsOf({ path, delimiter }: MailFolder): readonly string[] {
  return delimiter === null || delimiter === '' ? [path] : path.split(delimiter);
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function byPath(a: MailFolder, b: MailFolder): number {
  return a.path < b.path ? -1 : 1;
}

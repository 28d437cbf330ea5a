import type { MailFolder } from './folder.ts';
import { roleByName } from './named-role.ts';
import { type FolderRoles, isInbox, type Pin, type PinnedRole } from './roles.ts';

/**
 * Decides the roles of an account from its folders. The server's attributes (RFC 6154) win over names, and a common
 * name wins over a rare one. Pure.
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
  const marked = folders.filter(({ specialUse }) => specialUse === role);
  const [first] = marked.toSorted((a, b) => compare(rankOf(role, a), rankOf(role, b)) || byPath(a, b));
  if (first !== undefined) return { path: first.path, by: 'special_use' };
  // A folder that the server marks with another role keeps that role.
  const named = folders.filter((folder) => folder.specialUse === null && rankOf(role, folder) !== NO_MATCH);
  const [nearest] = named.toSorted(
    (a, b) => depthOf(a) - depthOf(b) || compare(rankOf(role, a), rankOf(role, b)) || byPath(a, b),
  );
  return nearest === undefined ? { path: null, by: 'absent' } : { path: nearest.path, by: 'name' };
}

const NO_MATCH = Number.POSITIVE_INFINITY;

function rankOf(role: PinnedRole, folder: MailFolder): number {
  const match = roleByName(partsOf(folder).at(-1) ?? '');
  return match?.role === role ? match.rank : NO_MATCH;
}

/** Returns the number of parent folders. INBOX does not count, because some servers keep every folder under it. */
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

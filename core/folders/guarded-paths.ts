import type { MailFolder } from './folder.ts';
import { foldLookAlikes, INBOX_FOLDED, partsOf, readingsOf, resembledRoles } from './named-role.ts';
import { type FolderRoles, PINNED_ROLES } from './roles.ts';

/** Labels and folders that a key may not use freely. Pure. */

/**
 * Whether a label is or could become a special folder: its name means a role in any language, it is the path of a
 * pinned folder (even a deleted one), or it is inside one.
 */
export function isReservedLabel(label: string, roles: FolderRoles, delimiters: readonly string[]): boolean {
  if (resembledRoles(label, delimiters).size > 0) return true;
  if (readingsOf(label).some((reading) => PROVIDERS.has(partsAlike(reading, delimiters)[0] ?? '')))
    return true;
  return PINNED_ROLES.some((role) => isOrLiesIn(label, roles[role].path, delimiters));
}

/** The same check for a folder that a label would copy into, by its path on the server. */
export function isReservedPath(path: string, roles: FolderRoles): boolean {
  // Some servers keep every folder under INBOX.
  return isReservedLabel(path.replace(/^INBOX[./\\|^:]/i, ''), roles, []);
}

/**
 * Whether messages in this folder could pass for the owner's own: it is Sent or Drafts, looks like one of them, or is
 * inside one.
 */
export function couldPassForOwn({ path, delimiter, specialUse }: MailFolder, roles: FolderRoles): boolean {
  if (specialUse === 'sent' || specialUse === 'drafts') return true;
  const delimiters = delimiter === null ? [] : [delimiter];
  const resembled = resembledRoles(path, delimiters);
  if (resembled.has('sent') || resembled.has('drafts')) return true;
  return OWN_ROLES.some((role) => isOrLiesIn(path, roles[role].path, delimiters));
}

const OWN_ROLES = ['sent', 'drafts'] as const;

/** Gmail keeps its own folders inside one of these. */
const PROVIDERS: ReadonlySet<string> = new Set(['gmail', 'google mail'].map(foldLookAlikes));

function isOrLiesIn(path: string, outer: string | null, delimiters: readonly string[]): boolean {
  if (outer === null) return false;
  const outerParts = partsAlike(outer, delimiters);
  return readingsOf(path).some((reading) => {
    const parts = partsAlike(reading, delimiters);
    return parts.join('') === outerParts.join('') || beginsWith(parts, outerParts);
  });
}

function beginsWith(parts: readonly string[], outer: readonly string[]): boolean {
  return outer.length > 0 && outer.every((part, index) => parts[index] === part);
}

/** Returns the parts without a leading INBOX. Some servers keep every folder under it. */
function partsAlike(path: string, delimiters: readonly string[]): readonly string[] {
  const parts = partsOf(path, delimiters).map((part) => foldLookAlikes(part) || part.trim());
  return parts[0] === INBOX_FOLDED ? parts.slice(1) : parts;
}

import type { MailFolder } from '../ports/mail.ts';
import { alike, INBOX_ALIKE, partsOf, readingsOf, resembledRoles } from './named-role.ts';
import { type FolderRoles, PINNED_ROLES } from './roles.ts';

/** Which labels and folders a key may not use freely. Pure. */

/**
 * Whether a label is, or could become, a folder with a purpose of its own: by a name that means a role in any
 * language, by the path of a pinned folder (also one that is gone), or by lying in one of these.
 */
export function isReservedLabel(label: string, roles: FolderRoles, delimiters: readonly string[]): boolean {
  if (resembledRoles(label, delimiters).size > 0) return true;
  if (readingsOf(label).some((reading) => PROVIDERS.has(partsAlike(reading, delimiters)[0] ?? '')))
    return true;
  return PINNED_ROLES.some((role) => isOrLiesIn(label, roles[role].path, delimiters));
}

/** The same of a folder that a label would be copied into, by the path that the server gives it. */
export function isReservedPath(path: string, roles: FolderRoles): boolean {
  // Some servers keep every folder in the inbox.
  return isReservedLabel(path.replace(/^INBOX[./\\|^:]/i, ''), roles, []);
}

/**
 * Whether a message in this folder could pass for one that the owner has written: it is Sent or Drafts, looks like
 * one of these, or lies in one.
 */
export function passesForOwn({ path, delimiter, specialUse }: MailFolder, roles: FolderRoles): boolean {
  if (specialUse === 'sent' || specialUse === 'drafts') return true;
  const delimiters = delimiter === null ? [] : [delimiter];
  const resembled = resembledRoles(path, delimiters);
  if (resembled.has('sent') || resembled.has('drafts')) return true;
  return OWN.some((role) => isOrLiesIn(path, roles[role].path, delimiters));
}

const OWN = ['sent', 'drafts'] as const;

/** Gmail keeps its own folders in one of these. */
const PROVIDERS: ReadonlySet<string> = new Set(['gmail', 'google mail'].map(alike));

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

/** Without the inbox in front, in which some servers keep every folder. */
function partsAlike(path: string, delimiters: readonly string[]): readonly string[] {
  const parts = partsOf(path, delimiters).map((part) => alike(part) || part.trim());
  return parts[0] === INBOX_ALIKE ? parts.slice(1) : parts;
}

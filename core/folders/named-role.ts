import { Buffer } from 'node:buffer';
import { withoutLookAlikes } from '../text/look-alikes.ts';
import { normalForm } from '../text/normal-form.ts';
import type { FolderRole } from './folder.ts';
import { DECORATIONS, ROLE_NAMES } from './role-names.ts';
import { PINNED_ROLES, type PinnedRole } from './roles.ts';

/** Which role the name of a folder or label suggests. Pure. */

interface RoleName {
  readonly role: PinnedRole;
  /** The lower, the more common the name is. */
  readonly rank: number;
}

/** The role that mail programs give a folder of this name. @param name  the last part of its path */
export function roleByName(name: string): RoleName | undefined {
  return EXACT.find(name);
}

/**
 * The roles that a person could take this folder or label for. Looks at every part of the path, in any script and case,
 * and sees through marks and invisible characters.
 */
export function resembledRoles(path: string, delimiters: readonly string[] = []): ReadonlySet<FolderRole> {
  const roles = new Set<FolderRole>();
  const parts = readingsOf(path).flatMap((reading) => [reading, ...partsOf(reading, delimiters)]);
  for (const part of new Set(parts)) {
    for (const table of [EXACT, ALIKE]) {
      const match = table.find(part);
      if (match !== undefined) roles.add(match.role);
    }
    if (foldLookAlikes(part) === INBOX_FOLDED) roles.add('inbox');
  }
  return roles;
}

/** How a server may read a path: as it is, in its compatibility form, or decoded from modified UTF-7. */
export function readingsOf(path: string): readonly string[] {
  return [...new Set([path, normalForm(path, 'NFKC'), fromModifiedUtf7(path)])];
}

/** Characters that servers use to separate the parts of a path. */
const DELIMITERS = ['/', '.', '\\', '|', '^', ':'];

/** The non-empty parts of a path. @param delimiters  the server's own separators, if known */
export function partsOf(path: string, delimiters: readonly string[]): readonly string[] {
  let parts: readonly string[] = [path];
  for (const delimiter of [...DELIMITERS, ...delimiters.filter((one) => one !== '')]) {
    parts = parts.flatMap((part) => part.split(delimiter));
  }
  return parts.filter((part) => part.trim() !== '');
}

/** RFC 3501, 5.1.3: UTF-16 as Base64 with a comma for the slash, between `&` and `-`. */
function fromModifiedUtf7(text: string): string {
  return text.replace(/&([A-Za-z0-9+,]*)-/g, (_whole, base64: string) => {
    if (base64 === '') return '&';
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64');
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  });
}

/** Folds a name as mail programs compare it: ignores case, width and invisible characters. */
function exact(name: string): string {
  const visible = normalForm(name, 'NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '');
  return normalForm(visible.toLowerCase(), 'NFKC').replace(/\s+/g, ' ').trim();
}

/** Folds a name as a person compares it: letters and digits without marks, look-alikes made equal. */
export function foldLookAlikes(name: string): string {
  return withoutLookAlikes(exact(name)).replace(/[^\p{L}\p{N}]/gu, '');
}

/** INBOX as `alike` folds it. */
export const INBOX_FOLDED = foldLookAlikes('inbox');

/** All role names, folded by one function. */
function nameTable(fold: (name: string) => string): { find(name: string): RoleName | undefined } {
  const names = new Map<string, RoleName>();
  for (const role of PINNED_ROLES) {
    for (const [rank, name] of ROLE_NAMES[role].entries()) {
      const folded = fold(name);
      if (folded !== '' && !names.has(folded)) names.set(folded, { role, rank });
    }
  }
  const decorations = new Set(DECORATIONS.map(fold));
  return {
    find(name) {
      const whole = names.get(fold(name));
      if (whole !== undefined) return whole;
      const words = exact(name)
        .split(/[\s\-_/.,()[\]]+/)
        .map(fold)
        .filter((word) => word !== '' && !decorations.has(word));
      const [only] = words;
      return only === undefined || words.length > 1 ? undefined : names.get(only);
    },
  };
}

const EXACT = nameTable(exact);
const ALIKE = nameTable(foldLookAlikes);

import { Buffer } from 'node:buffer';
import { withoutLookAlikes } from '../look-alikes.ts';
import type { FolderRole } from '../ports/mail.ts';
import { DECORATIONS, ROLE_NAMES } from './role-names.ts';
import { PINNED_ROLES, type PinnedRole } from './roles.ts';

/** Which role the name of a folder or label suggests. Pure. */

/** `rank`: the lower, the more common the name is. */
interface Named {
  readonly role: PinnedRole;
  readonly rank: number;
}

/** The role that a folder of this name has for mail programs. @param name the last part of its path */
export function roleByName(name: string): Named | undefined {
  return EXACT.named(name);
}

/**
 * The roles that a person could take a folder or label of this path to have: by any part of the path, whatever the
 * script, the case, the marks or the invisible characters that it is written with.
 */
export function resembledRoles(path: string, delimiters: readonly string[] = []): ReadonlySet<FolderRole> {
  const roles = new Set<FolderRole>();
  const parts = readingsOf(path).flatMap((reading) => [reading, ...partsOf(reading, delimiters)]);
  for (const part of new Set(parts)) {
    for (const table of [EXACT, ALIKE]) {
      const named = table.named(part);
      if (named !== undefined) roles.add(named.role);
    }
    if (alike(part) === INBOX_ALIKE) roles.add('inbox');
  }
  return roles;
}

/** What a server may take a path for: the path itself, its compatible form, and what it says as modified UTF-7. */
export function readingsOf(path: string): readonly string[] {
  return [...new Set([path, path.normalize('NFKC'), fromModifiedUtf7(path)])];
}

/** Servers separate the parts of a path by one of these. */
const DELIMITERS = ['/', '.', '\\', '|', '^', ':'];

/** The parts of a path, without empty ones. @param delimiters what the server separates them by, if known */
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

/** What mail programs compare names by: case, width and invisible characters do not count. */
function exact(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a person compares names by: the letters and digits, without marks, look-alikes written alike. */
export function alike(name: string): string {
  return withoutLookAlikes(exact(name)).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The inbox, as `alike` writes it. */
export const INBOX_ALIKE = alike('inbox');

/** The names of all roles, folded in one way. */
function nameTable(fold: (name: string) => string): { named(name: string): Named | undefined } {
  const names = new Map<string, Named>();
  for (const role of PINNED_ROLES) {
    for (const [rank, name] of ROLE_NAMES[role].entries()) {
      const folded = fold(name);
      if (folded !== '' && !names.has(folded)) names.set(folded, { role, rank });
    }
  }
  const decorations = new Set(DECORATIONS.map(fold));
  return {
    named(name) {
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
const ALIKE = nameTable(alike);

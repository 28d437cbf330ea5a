import * as z from 'zod';

/**
 * Which folder of an account has which role. Decided once, shown to the owner, and changed by the owner alone; a role
 * that no folder had is pinned to the folder that Countersign makes for it. Pure.
 */

/** The inbox is not among them: every server names it INBOX. */
export const PINNED_ROLES = ['sent', 'drafts', 'spam', 'trash', 'archive'] as const;
export type PinnedRole = (typeof PINNED_ROLES)[number];

/** The roles whose folder Countersign makes when it needs one, and the name that it gives it. */
export const MADE_NAMES = { sent: 'Sent', trash: 'Trash', archive: 'Archive' } as const;
export type MadeRole = keyof typeof MADE_NAMES;

export function isMade(role: PinnedRole): role is MadeRole {
  return Object.hasOwn(MADE_NAMES, role);
}

const pin = z.union([
  z.strictObject({
    path: z.string().min(1),
    /** `special_use`: the server says so. `made`: Countersign made the folder for it. */
    by: z.enum(['special_use', 'name', 'owner', 'made']),
  }),
  z.strictObject({
    path: z.null(),
    /** `absent`: no folder had the role; Countersign may make one. `owner`: the owner wants none. */
    by: z.enum(['absent', 'owner']),
  }),
]);
export type Pin = z.infer<typeof pin>;

const folderRoles = z.strictObject({ sent: pin, drafts: pin, spam: pin, trash: pin, archive: pin });
export type FolderRoles = z.infer<typeof folderRoles>;

/** As storage keeps them. @throws Error where the text is not what `folderRolesText` wrote */
export function readFolderRoles(text: string): FolderRoles {
  return folderRoles.parse(JSON.parse(text));
}

export function folderRolesText(roles: FolderRoles): string {
  return JSON.stringify(roles);
}

/** What may happen to the roles of an account. */
export type FolderRolesChange =
  /** They are decided, unless they were before. */
  | { readonly type: 'decide'; readonly roles: FolderRoles }
  /** Countersign made a folder for a role that no folder had. */
  | { readonly type: 'made'; readonly role: MadeRole; readonly path: string }
  /** The owner chose. */
  | { readonly type: 'choose'; readonly pins: Readonly<Partial<Record<PinnedRole, Pin>>> };

/** The roles after a change; storage judges by this inside its write. @param current null: not decided yet */
export function changedRoles(current: FolderRoles | null, change: FolderRolesChange): FolderRoles | null {
  switch (change.type) {
    case 'decide':
      return current ?? change.roles;
    case 'made': {
      const { role, path } = change;
      if (current === null || current[role].by !== 'absent' || roleOf(path, current) !== null) return current;
      return { ...current, [role]: { path, by: 'made' } };
    }
    case 'choose':
      return current === null ? null : { ...current, ...change.pins };
  }
}

/** The role that the folder at this path is pinned to. */
export function roleOf(path: string, roles: FolderRoles): PinnedRole | null {
  return PINNED_ROLES.find((role) => roles[role].path === path) ?? null;
}

export function isInbox(path: string): boolean {
  return path.toUpperCase() === 'INBOX';
}

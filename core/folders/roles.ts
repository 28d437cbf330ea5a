import * as z from 'zod';

/**
 * Which folder of an account has which role. Decided once and shown to the owner; only the owner changes it later. If no
 * folder has a role, it is pinned to the folder that Countersign creates for it. Pure.
 */

/** Without the inbox, which every server calls INBOX. */
export const PINNED_ROLES = ['sent', 'drafts', 'spam', 'trash', 'archive'] as const;
export type PinnedRole = (typeof PINNED_ROLES)[number];

/** Roles whose folder Countersign creates on demand, with the name it gets. */
export const CREATED_NAMES = { sent: 'Sent', trash: 'Trash', archive: 'Archive' } as const;
export type CreatableRole = keyof typeof CREATED_NAMES;

export function isCreatable(role: PinnedRole): role is CreatableRole {
  return Object.hasOwn(CREATED_NAMES, role);
}

const pin = z.union([
  z.strictObject({
    path: z.string().min(1),
    /** `special_use`: the server says so. `made`: Countersign created the folder. */
    by: z.enum(['special_use', 'name', 'owner', 'made']),
  }),
  z.strictObject({
    path: z.null(),
    /** `absent`: no folder has the role; Countersign may create one. `owner`: the owner wants none. */
    by: z.enum(['absent', 'owner']),
  }),
]);
export type Pin = z.infer<typeof pin>;

const folderRoles = z.strictObject({ sent: pin, drafts: pin, spam: pin, trash: pin, archive: pin });
export type FolderRoles = z.infer<typeof folderRoles>;

/** Parses the stored form. @throws Error if the text was not written by `folderRolesText` */
export function readFolderRoles(text: string): FolderRoles {
  return folderRoles.parse(JSON.parse(text));
}

export function folderRolesText(roles: FolderRoles): string {
  return JSON.stringify(roles);
}

/** A change to the roles of an account. */
export type FolderRolesChange =
  /** The first decision; ignored if there was one before. */
  /** Countersign created a folder for a role without one. */
  | { readonly type: 'made'; readonly role: CreatableRole; readonly path: string }
  /** The owner's choice. */
  | { readonly type: 'choose'; readonly pins: Readonly<Partial<Record<PinnedRole, Pin>>> };

/** The roles after a change. Storage calls this inside its write. @param current  null: not decided yet */
export function changedRoles(current: FolderRoles, change: FolderRolesChange): FolderRoles {
  switch (change.type) {
    case 'made': {
      const { role, path } = change;
      if (current[role].by !== 'absent' || roleOf(path, current) !== null) return current;
      return { ...current, [role]: { path, by: 'made' } };
    }
    case 'choose':
      return { ...current, ...change.pins };
  }
}

/** The role that is pinned to this folder. */
export function roleOf(path: string, roles: FolderRoles): PinnedRole | null {
  return PINNED_ROLES.find((role) => roles[role].path === path) ?? null;
}

export function isInbox(path: string): boolean {
  return path.toUpperCase() === 'INBOX';
}

import type { FolderRoles } from '../folders/roles.ts';

/** A mailbox of an owner, as storage keeps it. */
export interface Account {
  readonly ownerId: string;
  readonly accountId: number;
  readonly label: string;
  readonly email: string;
  readonly signature: string;
  readonly sealedSettings: string;
  /** The oldest account of the owner. */
  readonly isPrimary: boolean;
  /** Null: not decided yet, because an older version connected the account. */
  readonly folderRoles: FolderRoles | null;
}

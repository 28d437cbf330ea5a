import type { FolderRoles } from '../folders/roles.ts';

/** One of an owner's mailboxes, as storage keeps it. */
export interface Account {
  readonly ownerId: string;
  readonly accountId: number;
  readonly label: string;
  readonly email: string;
  /** The name in the From of what the account sends. '': the address stands alone. */
  readonly displayName: string;
  readonly signature: string;
  readonly sealedSettings: string;
  /** How often the owner has changed the settings, from 1. */
  readonly revision: number;
  /** True for the owner's oldest account. */
  readonly isPrimary: boolean;
  readonly folderRoles: FolderRoles;
  /**
   * The name under which the account's own server writes Authentication-Results (RFC 8601), as the owner confirmed it. Null:
   * no result is believed.
   */
  readonly authservId: string | null;
  /** False: the owner wants no index of this account. */
  readonly isIndexed: boolean;
  /** Null: the account signs in with a password, which is in the settings. */
  readonly grant: StoredGrant | null;
}

/** What a provider granted to an account whose owner signed in there. */
export interface StoredGrant {
  /** The tokens, see core/accounts/grant.ts. */
  readonly sealed: string;
  /** When it was found that the provider has withdrawn it. Null: it is good, as far as is known. */
  readonly withdrawnAt: Date | null;
  /** Rises with each lease, and when the owner signs in again. */
  readonly fence: number;
  /** By the store's clock. While it is leased, one process gets new tokens. */
  readonly leaseUntilMs: number;
}

import type { FolderRoles, FolderRolesChange } from '../folders/roles.ts';
import type { Account } from './account.ts';

/** The connected mailboxes of an owner. Makes the same promises as Storage. */
export interface AccountStorage {
  /**
   * The first account of an owner becomes the active one. `seal` and `sealGrant` receive the new
   * account's id.
   * @throws ServiceError invalid_arguments if the owner has an account with this address
   */
  addAccount(request: {
    ownerId: string;
    label: string;
    email: string;
    /** Default: none. */
    displayName?: string;
    signature: string;
    seal: (accountId: number) => string;
    /** Undefined: the account signs in with a password. */
    sealGrant?: ((accountId: number) => string) | undefined;
    folderRoles: FolderRoles;
    now: Date;
  }): Promise<Account>;
  accounts(ownerId: string): Promise<readonly Account[]>;
  /**
   * Changes the roles of folders. `changedRoles` decides inside the write.
   * @returns the roles as they are now; undefined: no such account
   */
  changeFolderRoles(request: {
    ownerId: string;
    accountId: number;
    change: FolderRolesChange;
  }): Promise<FolderRoles | undefined>;
  /** Changes what the owner decides about the account. False: no such account. */
  editAccount(
    request: { ownerId: string; accountId: number } & Partial<
      Pick<Account, 'label' | 'displayName' | 'signature' | 'authservId'>
    >,
  ): Promise<boolean>;
  /**
   * Replaces the settings, and raises their revision. What is known about the health of the account is removed.
   * @returns the account as it is now; undefined: no such account
   */
  changeSettings(request: {
    ownerId: string;
    accountId: number;
    sealedSettings: string;
  }): Promise<Account | undefined>;
  /** False: no such account. */
  activateAccount(ownerId: string, accountId: number): Promise<boolean>;
  /**
   * Deletes the account and its settings, cancels its pending requests (`account_removed`), and activates the oldest
   * remaining account. A request of several accounts belongs to it if one of its target names starts with
   * `targetsBegin`.
   */
  removeAccount(request: {
    ownerId: string;
    accountId: number;
    targetsBegin: string;
    now: Date;
  }): Promise<boolean>;
}

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

/** Grants of providers, and the sign-ins that owners have begun there. Makes the same promises as Storage. */
export interface GrantStorage {
  /**
   * Leases the grant of an account to get new tokens, unless somebody else has it.
   * @returns the grant as it is now; undefined: no such account, or it has a password
   */
  leaseGrant(request: {
    ownerId: string;
    accountId: number;
    leaseMs: number;
  }): Promise<{ readonly grant: StoredGrant; readonly isLeased: boolean } | undefined>;
  /** Saves new tokens and ends the lease. False: another lease or sign-in came meanwhile, and nothing is saved. */
  saveGrant(request: {
    ownerId: string;
    accountId: number;
    fence: number;
    sealed: string;
    withdrawnAt: Date | null;
  }): Promise<boolean>;
  /** Saves the grant of a new sign-in in place of the old one. False: no such account, or it has a password. */
  replaceGrant(request: { ownerId: string; accountId: number; sealed: string }): Promise<boolean>;
  /** Keeps a sign-in that the owner has begun. Of each owner, only the newest few are kept. */
  addPendingGrant(request: { ownerId: string; pending: PendingGrant; now: Date }): Promise<void>;
  /** Takes a sign-in out, so that it ends once. Undefined: there is none, or its time is over. */
  takePendingGrant(request: {
    ownerId: string;
    stateHash: string;
    now: Date;
  }): Promise<PendingGrant | undefined>;
}

/** A sign-in at a provider that the owner has begun. */
export interface PendingGrant {
  /** SHA-256 of the `state`, hex. */
  readonly stateHash: string;
  /** What the sign-in is for, and its secrets. */
  readonly sealed: string;
  readonly expiresAt: Date;
}

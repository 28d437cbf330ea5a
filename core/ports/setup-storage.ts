/**
 * The link that creates the first owner. There is at most one, and it belongs to nobody. `addOwner` ends it. Makes the
 * same promises as Storage.
 */
export interface SetupStorage {
  /** Stores the link in place of the one before. False: there is an owner, so there is no link. */
  openSetup(link: SetupLink): Promise<boolean>;
  /** Whether this is the link, it has not expired, and there is no owner. */
  isSetupOpen(query: { secretHash: string; now: Date }): Promise<boolean>;
}

export interface SetupLink {
  /** SHA-256, hex. */
  readonly secretHash: string;
  readonly expiresAt: Date;
}

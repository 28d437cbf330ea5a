/**
 * The facts of a dashboard session that rules depend on. An app with its own sign-in can supply the same three.
 */
export interface Session {
  /** Opaque. Not the token in the cookie, so pages may show it. */
  readonly id: string;
  readonly ownerId: string;
  /** When the person last proved to be the owner by password. */
  readonly authenticatedAt: Date;
}

/** A session as storage stores it. */
export interface StoredSession extends Session {
  readonly createdAt: Date;
  /** Updated every few minutes, not at every request. */
  readonly lastUsedAt: Date;
  /** A short description, such as `Firefox on Linux`. */
  readonly browser: string;
  /** The network address of the sign-in. */
  readonly address: string;
  /** The public half of the browser's key, in the dashboard's encoding; null if the browser has none. */
  readonly proofKey: string | null;
}

/** A session in the list of an owner's. */
export interface ListedSession extends StoredSession {
  /** Whether it was changed or added outside Countersign. Then it opens nothing. */
  readonly isAltered: boolean;
}

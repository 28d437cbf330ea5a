/**
 * A person's session on the dashboard, as far as rules look at it. An app with a sign-in of its own can bring the same
 * three facts.
 */
export interface Session {
  /** Opaque. It is not the token in the cookie, so pages may show it. */
  readonly id: string;
  readonly ownerId: string;
  /** When the person last proved to be the owner, by password. */
  readonly authenticatedAt: Date;
}

/** A session as storage keeps it. */
export interface StoredSession extends Session {
  readonly createdAt: Date;
  /** Recorded once in a few minutes, not at every request. */
  readonly lastUsedAt: Date;
  /** A short description, such as `Firefox on Linux`. */
  readonly browser: string;
  /** The network address that the person signed in from. */
  readonly address: string;
  /** The public half of the browser's key, as the dashboard reads it; null for a browser that has none. */
  readonly proofKey: string | null;
}

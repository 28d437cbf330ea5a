/** What a page gives to its script, as JSON, so that a passkey answers. */
export interface PasskeyOptions {
  readonly challenge: string;
  /** The host name that the passkey belongs to. */
  readonly host: string;
}

/** The same for a new passkey. */
export interface NewPasskeyOptions extends PasskeyOptions {
  /** Names the owner to the authenticator, in base64url. */
  readonly handle: string;
  readonly email: string;
  /** The passkeys that the owner has, in base64url: an authenticator adds no second one. */
  readonly exclude: readonly string[];
  /** COSE identifiers. */
  readonly algorithms: readonly number[];
}

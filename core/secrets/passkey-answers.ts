/** What the page's script sends of a passkey, as JSON. Everything is in base64url. */
export interface PasskeyAnswer {
  readonly id: string;
  /** The handle that the passkey was created with. */
  readonly user: string;
  readonly client: string;
  readonly data: string;
  readonly signature: string;
}

/** The same of a new passkey. */
export interface NewPasskeyAnswer {
  readonly client: string;
  readonly data: string;
  /** The public key. */
  readonly key: string;
}

/** The servers found for an address. Nobody has confirmed them yet, and nothing was sent to them. */
export type Discovery =
  | {
      readonly kind: 'found';
      readonly imap: FoundServer;
      readonly smtp: FoundServer;
      /** Undefined if none was found; an account works without a calendar. */
      readonly caldav: FoundCalendarServer | undefined;
      /** What the owner should know before they continue, in plain words. */
      readonly notes: readonly string[];
      /** The id of the provider where its owners sign in. Undefined: it takes passwords only, or is not known. */
      readonly signIn?: string | undefined;
    }
  /** A known provider that does not allow IMAP and SMTP with a password. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly signIn?: string | undefined }
  /** The owner must enter the settings by hand. */
  | {
      readonly kind: 'nothing';
      /** What was tried and how it went, one sentence each. */
      readonly tried: readonly string[];
    };

export interface FoundServer extends ServerSettings {
  /** Where these settings come from, phrased to follow `from`. */
  readonly source: string;
}

export interface FoundCalendarServer {
  readonly url: string;
  readonly user: string;
  /** Phrased to follow `from`. */
  readonly source: string;
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls';
  readonly user: string;
}

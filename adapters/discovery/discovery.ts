/** What was found about the servers of an address. Nobody has confirmed it yet, and nothing was sent there. */
export type Discovery =
  | {
      readonly kind: 'found';
      readonly imap: FoundServer;
      readonly smtp: FoundServer;
      /** Undefined: none was found; the account can do without. */
      readonly caldav: FoundCalendarServer | undefined;
      /** What the owner should know before they go on, in plain words. */
      readonly notes: readonly string[];
    }
  /** The provider is known, and cannot be used with a password by IMAP and SMTP. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** The settings have to be given by hand. */
  | {
      readonly kind: 'nothing';
      /** What was looked at, and what came of it: a sentence each. */
      readonly tried: readonly string[];
    };

export interface FoundServer extends ServerSettings {
  /** Where this comes from: words that follow `from`. */
  readonly source: string;
}

export interface FoundCalendarServer {
  readonly url: string;
  readonly user: string;
  /** Words that follow `from`. */
  readonly source: string;
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls';
  readonly user: string;
}

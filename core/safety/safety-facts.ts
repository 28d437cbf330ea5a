/** What the agent wrote, and what it passes on: the texts in which evidence is marked. */
export interface WrittenText {
  /** The subject of a message, or the title of an event. Excludes a subject from a stranger's message. */
  readonly subject: string;
  /** The start of the text of the message. Excludes a quote. */
  readonly body: string;
  /** Forwarded text that goes to new recipients. The agent is responsible for what it reveals. */
  readonly passedOn: string;
  /** Where the forwarded text starts in the text of the message. */
  readonly passedOnAt: number;
}

/** The input of the rules of the safety filter. */
export interface SafetyFacts extends WrittenText {
  /** Normalised addresses. */
  readonly to: readonly string[];
  /** Those of them to which the account has never written, as far as that could be checked. */
  readonly newAddresses: ReadonlySet<string>;
  /** Domains that the account has written to, with the number of times: those that matter for `comparedDomains`. */
  readonly knownDomains: ReadonlyMap<string, number>;
  /** The domains of the owner's own addresses. */
  readonly ownDomains: ReadonlySet<string>;
  /** Normalised sender and recipients of the message being answered. Empty for a new message. */
  readonly threadAddresses: ReadonlySet<string>;
  /** The message that a reply answers. Null: it is not a reply. */
  readonly answered: Answered | null;
}

/** The message that a reply answers. Addresses are normalised. */
export interface Answered {
  /** From. */
  readonly senders: readonly string[];
  /** To and Cc. */
  readonly others: ReadonlySet<string>;
  /** Whether the owner has written to the sender before. */
  readonly isSenderKnown: boolean;
  /** The text as a person sees it. */
  readonly text: string;
}

/** The texts and addresses of a message that name domains. */
export interface NamingText {
  /** Normalised addresses. */
  readonly to: readonly string[];
  /** Normalised senders of the message being answered. */
  readonly senders: readonly string[];
  readonly subject: string;
  readonly body: string;
}

export interface NamedDomains {
  readonly domains: readonly string[];
  /** False if it links to more. */
  readonly complete: boolean;
}

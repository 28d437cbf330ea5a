import type { WrittenText } from './marks.ts';
import type { Answered } from './reply-elsewhere.ts';

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

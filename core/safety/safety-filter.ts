import { normalForm } from '../text/normal-form.ts';
import { plainText } from '../text/plain-text.ts';
import { seenText, UNSEEN } from '../text/seen-text.ts';
import { holdsAccountNumber } from './account-numbers.ts';
import { holdsMisleadingLink } from './links.ts';
import { holdsNearCopy } from './near-domain.ts';
import { holdsSecret } from './secrets.ts';
import { carriesMarker } from './untrusted.ts';

/**
 * The safety filter: reasons to ask the owner about a message before it is sent. Every rule is pure and independent; none
 * claims that the message is bad. The owner sees the title, the agent sees nothing.
 * Source: DESIGN, holds.
 */

/** The input of the rules. */
export interface SafetyFacts {
  /** Normalised addresses. */
  readonly to: readonly string[];
  /** What the agent wrote. Excludes a subject or quote from a stranger's message. */
  readonly subject: string;
  readonly body: string;
  /** Forwarded text that goes to new recipients. The agent is responsible for what it reveals. */
  readonly passedOn: string;
  /** Domains that the account has written to. */
  readonly knownDomains: ReadonlySet<string>;
  /** The domain of the account's own address. */
  readonly ownDomain: string;
  /** Normalised sender and recipients of the message being answered. Empty for a new message. */
  readonly threadAddresses: ReadonlySet<string>;
}

export interface SafetyRule {
  readonly name: string;
  /** For the owner. */
  readonly title: string;
  catches(message: SafetyFacts): boolean;
}

/** More recipients outside the conversation than this count as many. */
const OUTSIDERS_MAX = 3;

export const SAFETY_RULES = [
  {
    name: 'secret',
    title: 'The text seems to contain a password, a key or a one-time code.',
    catches: (message) => holdsSecret(allPlain(message)),
  },
  {
    name: 'account_or_card_number',
    title: 'The text seems to contain a bank account or card number.',
    catches: (message) => holdsAccountNumber(allPlain(message)),
  },
  {
    name: 'near_copy_domain',
    title: "A recipient's domain looks like one you know, but is a different one.",
    catches: ({ to, knownDomains, ownDomain }) =>
      holdsNearCopy(to.map(domainOf), [...knownDomains, ownDomain]),
  },
  {
    name: 'own_markers',
    title:
      "The text contains the markers that surround untrusted text, so it may carry out a stranger's request.",
    catches: ({ subject, body }) => [subject, body].some(carriesMarker),
  },
  {
    name: 'invisible_characters',
    title: 'The text contains invisible characters, or characters that reverse its direction.',
    catches: ({ subject, body }) => [subject, body].some((text) => seenText(text) !== text),
  },
  {
    name: 'misleading_link',
    title: 'A link in the text leads to a different place than it shows.',
    // Unfolded: a look-alike letter means a different host.
    catches: ({ subject, body }) =>
      holdsMisleadingLink(normalForm(`${subject}\n\n${body}`.replace(UNSEEN, ''), 'NFKC')),
  },
  {
    name: 'many_outsiders',
    title: `It goes to more than ${OUTSIDERS_MAX} people who are not part of the conversation.`,
    catches: ({ to, threadAddresses }) =>
      to.filter((address) => !threadAddresses.has(address)).length > OUTSIDERS_MAX,
  },
] as const satisfies readonly SafetyRule[];

export type SafetyHold = (typeof SAFETY_RULES)[number]['name'];

/** The rules that catch a message, by name. */
export function safetyHolds(facts: SafetyFacts): SafetyHold[] {
  return SAFETY_RULES.filter((rule) => rule.catches(facts)).map(({ name }) => name);
}

/** Everything that is sent, in plain letters, except what its recipients wrote themselves. */
function allPlain({ subject, body, passedOn }: SafetyFacts): string {
  return plainText(`${subject}\n\n${body}\n\n${passedOn}`);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

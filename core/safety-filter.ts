import { normalForm } from './normal-form.ts';
import { plainText } from './plain-text.ts';
import { holdsAccountNumber } from './safety/account-numbers.ts';
import { holdsMisleadingLink } from './safety/links.ts';
import { holdsNearCopy } from './safety/near-domain.ts';
import { holdsSecret } from './safety/secrets.ts';
import { seenText, UNSEEN } from './seen-text.ts';
import { carriesMarker } from './untrusted.ts';

/**
 * The safety filter: what in a message to be sent is reason enough to ask the owner. Each rule is pure and stands by
 * itself; none says that a message is bad. The owner is shown the title, the agent is told nothing.
 * Source: DESIGN, holds.
 */

/** What the rules look at. */
export interface SafetyFacts {
  /** Normalised addresses. */
  readonly to: readonly string[];
  /** What the agent wrote: a subject or a quote taken from a stranger's message is no part of it. */
  readonly subject: string;
  readonly body: string;
  /** A message that goes to others than those who wrote it: what it gives away is given away by the agent. */
  readonly passedOn: string;
  /** Domains that the account has written to. */
  readonly knownDomains: ReadonlySet<string>;
  /** The domain of the account's own address. */
  readonly ownDomain: string;
  /** Normalised addresses of the message that is answered: sender and recipients. Empty for a new message. */
  readonly threadAddresses: ReadonlySet<string>;
}

export interface SafetyRule {
  readonly name: string;
  /** For the owner. */
  readonly title: string;
  catches(message: SafetyFacts): boolean;
}

/** More recipients than this who are not part of the conversation are many. */
const OUTSIDERS_MAX = 3;

export const SAFETY_RULES = [
  {
    name: 'secret',
    title: 'The text looks as if it held a password, a key or a one-time code.',
    catches: (message) => holdsSecret(allPlain(message)),
  },
  {
    name: 'account_or_card_number',
    title: 'The text looks as if it held a bank account or card number.',
    catches: (message) => holdsAccountNumber(allPlain(message)),
  },
  {
    name: 'near_copy_domain',
    title: 'The address of a recipient looks like one of a domain that you know, but belongs to another.',
    catches: ({ to, knownDomains, ownDomain }) =>
      holdsNearCopy(to.map(domainOf), [...knownDomains, ownDomain]),
  },
  {
    name: 'own_markers',
    title:
      "The text carries the marks that are put around strangers' text: it may be passing on what they ask.",
    catches: ({ subject, body }) => [subject, body].some(carriesMarker),
  },
  {
    name: 'invisible_characters',
    title: 'The text holds characters that do not show, or that turn it around.',
    catches: ({ subject, body }) => [subject, body].some((text) => seenText(text) !== text),
  },
  {
    name: 'misleading_link',
    title: 'A link in the text leads somewhere else than it says.',
    // As it stands: a letter that looks like another names another host.
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

/** All that is sent, in plain letters, except what its recipients wrote. */
function allPlain({ subject, body, passedOn }: SafetyFacts): string {
  return plainText(`${subject}\n\n${body}\n\n${passedOn}`);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

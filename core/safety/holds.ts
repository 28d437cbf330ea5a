import { type NamedFinding, namesOf } from './finding.ts';
import { SAFETY_RULES, type SafetyHold } from './safety-rules.ts';

/**
 * Holds: reasons that turn a write that may run immediately into one that waits. See
 * docs/decisions/holds-beside-modes.md.
 */

/** All holds except those of the safety filter, with the words for the owner. The agent does not see them. */
const HOLDS = {
  mode_approval: 'This key asks before every action of this kind.',
  first_time_recipient: 'It goes to somebody you have never written to from this account.',
  answers_automatic_mail:
    'It answers a message that a program or a mailing list sent, so perhaps no person reads the answer.',
  answers_not_all: 'The message asks for answers to more addresses. Mail cannot be sent to the others.',
  recipient_lookup_failed: 'Countersign could not check whether you have written to all recipients before.',
  send_limit: 'This key has already sent as many messages in a short time as it may without asking.',
  likely_repeat: 'The same action was requested or carried out a short time ago.',
  several_messages: 'This key may change only one message at a time without asking.',
  server_may_write: 'Your calendar server may write to the organizer that you will not attend.',
  shared_calendar: 'It changes a calendar that others can access too.',
  calendar_access_unknown: 'Countersign could not check whether others can access the calendar.',
  from_stranger:
    'It takes a recipient, a link, an address or an account number from somebody to whom you have never written, or from a message that is not proven to come from its sender.',
  differing_account: 'Its account number differs from the one that the same sender named before.',
  sender_not_proven: 'It answers or forwards a message that is not proven to come from its sender.',
  passes_secret: 'A code or password from somebody else goes to somebody to whom you have never written.',
  reads_not_compared: 'Your programs read too much in the last 24 hours to compare this with all of it.',
  domains_not_compared: 'It names more domains than Countersign can compare with those that you know.',
  text_not_checked: 'Countersign could not check its text: that took too long.',
  removes_notice: 'It puts a security notice or a question about a payment out of sight.',
  into_sent_or_drafts:
    'It would move messages into a folder that is, or looks like, Sent or Drafts, where they could pass for your own.',
} as const;

/** The reason of a request that the owner files again. */
export const TRIED_AGAIN = 'tried_again';

export type Hold = keyof typeof HOLDS | SafetyHold;

const WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HOLDS),
  [TRIED_AGAIN, 'You try it again after it failed. It runs only if you approve it.'],
  ...Object.entries(SAFETY_RULES),
]);

/** They say why a request waits, and nothing about it. */
const NO_FINDINGS: ReadonlySet<string> = new Set(['mode_approval', TRIED_AGAIN]);

/** Returns those reasons of a request that are findings about it. */
function findingsIn(reasons: readonly string[]): string[] {
  return reasons.filter((name) => !NO_FINDINGS.has(name));
}

/** Returns those reasons that are not among the findings of the plan: storage added them. */
export function holdsWithoutFinding(
  reasons: readonly string[],
  findings: readonly { readonly rule: string }[],
): string[] {
  const rules = new Set(findings.map(({ rule }) => rule));
  return findingsIn(reasons).filter((name) => !rules.has(name));
}

/** The names of all findings about a request, the most severe first. @param findings those of its plan */
export function namedFindings(reasons: readonly string[], findings: readonly NamedFinding[]): NamedFinding[] {
  const others = holdsWithoutFinding(reasons, findings);
  return namesOf([...findings, ...others.map((rule) => ({ rule, severity: 'amber' as const }))]);
}

/** The text for the owner. A hold that this version does not know is shown by its name. */
export function holdText(name: string): string {
  return WORDS.get(name) ?? name;
}

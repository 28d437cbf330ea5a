import type { Finding } from '../safety/finding.ts';
import type { SafetyFacts } from '../safety/safety-facts.ts';
import { OUTSIDERS_MAX, type SafetyHold } from '../safety/safety-rules.ts';
import { carriesMarker } from '../safety/untrusted.ts';
import { accountNumbersIn } from '../stated/account-numbers.ts';
import { differingAmounts, differingTime } from '../stated/answered-values.ts';
import { misleadingLinksIn } from '../stated/links.ts';
import { secretsIn } from '../stated/secrets.ts';
import { fenceLookAlikes } from '../text/fence-look-alikes.ts';
import { normalForm } from '../text/normal-form.ts';
import { seenText, UNSEEN } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import { hiddenHosts, nearCopies } from './domain-findings.ts';
import { exactMarks, plainMarks } from './marks.ts';
import { repliesElsewhere } from './reply-elsewhere.ts';

/**
 * The safety filter: what the owner should know about a message before it is sent. Every rule is pure and independent, and
 * runs in linear time; none claims that the message is bad. The owner sees the findings, the agent sees nothing.
 * See docs/decisions/holds-beside-modes.md.
 */

type SafetyRule = (message: SafetyFacts) => readonly Finding[];

/** More findings of one kind are left out. */
const FINDINGS_MAX = 10;
const VALUE_CHARS = 120;

const FIND: Readonly<Record<SafetyHold, SafetyRule>> = {
  secret(message) {
    const marks = plainMarks(message, secretsIn);
    const severity = message.newAddresses.size > 0 ? 'red' : 'amber';
    return marks === undefined ? [] : [{ rule: 'secret', severity, marks }];
  },
  account_or_card_number(message) {
    const marks = plainMarks(message, accountNumbersIn);
    return marks === undefined ? [] : [{ rule: 'account_or_card_number', severity: 'amber', marks }];
  },
  near_copy_domain: nearCopies,
  hidden_host: hiddenHosts,
  reply_elsewhere: ({ to, newAddresses, answered }) =>
    answered === null ? [] : repliesElsewhere(to, newAddresses, answered),
  own_markers(message) {
    if (![message.subject, message.body].some(carriesMarker)) return [];
    const marks = exactMarks(message, (text) =>
      fenceLookAlikes(text).map(({ start, end }) => ({ from: start, to: end })),
    );
    return [{ rule: 'own_markers', severity: 'red', marks }];
  },
  invisible_characters(message) {
    if (![message.subject, message.body].some((text) => seenText(text) !== text)) return [];
    const marks = exactMarks(message, (text) =>
      Array.from(text.matchAll(UNSEEN), ({ 0: one, index }) => ({ from: index, to: index + one.length })),
    );
    return [{ rule: 'invisible_characters', severity: 'amber', marks }];
  },
  // Unfolded: a look-alike letter means a different host.
  misleading_link(message) {
    const { subject, body } = message;
    const text = normalForm(`${subject}\n\n${body}`.replace(UNSEEN, ''), 'NFKC');
    const found = new Map<string, Finding>();
    for (const { shown, actual, target } of misleadingLinksIn(text)) {
      const marks = exactMarks(message, (part) => placesOf(target, part));
      const names = { shown: shortened(shown, VALUE_CHARS), actual: shortened(actual, VALUE_CHARS) };
      found.set(`${shown} ${actual}`, { rule: 'misleading_link', severity: 'red', marks, ...names });
      if (found.size === FINDINGS_MAX) break;
    }
    return [...found.values()];
  },
  many_outsiders({ to, threadAddresses }) {
    const addresses = to.filter((address) => !threadAddresses.has(address));
    if (addresses.length <= OUTSIDERS_MAX) return [];
    return [{ rule: 'many_outsiders', severity: 'amber', marks: [], addresses }];
  },
  differing_time({ answered, body }) {
    const found = answered === null ? undefined : differingTime(answered.text, body);
    if (found === undefined) return [];
    const { theirs, given, from, to } = found;
    return [{ rule: 'differing_time', severity: 'info', marks: [{ in: 'text', from, to }], theirs, given }];
  },
  differing_amount({ answered, body }) {
    const found = answered === null ? [] : differingAmounts(answered.text, body);
    return found.map(({ theirs, given, from, to }) => {
      return {
        rule: 'differing_amount',
        severity: 'info',
        marks: [{ in: 'text', from, to }],
        theirs,
        given,
      };
    });
  },
};

/** The findings of all rules. */
export function safetyFindings(facts: SafetyFacts): Finding[] {
  return Object.values(FIND).flatMap((find) => find(facts).slice(0, FINDINGS_MAX));
}

function* placesOf(part: string, text: string) {
  if (part === '') return;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    yield { from: at, to: at + part.length };
  }
}

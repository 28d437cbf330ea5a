import { fenceLookAlikes } from '../text/fence-look-alikes.ts';
import { normalForm } from '../text/normal-form.ts';
import { seenText, UNSEEN } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import { accountNumbersIn } from './account-numbers.ts';
import { differingAmounts, differingTime } from './answered-values.ts';
import { hiddenHosts, nearCopies } from './domain-findings.ts';
import type { Finding } from './finding.ts';
import { misleadingLinksIn } from './links.ts';
import { exactMarks, plainMarks } from './marks.ts';
import { repliesElsewhere } from './reply-elsewhere.ts';
import type { SafetyFacts } from './safety-facts.ts';
import { secretsIn } from './secrets.ts';
import { carriesMarker } from './untrusted.ts';

/**
 * The safety filter: what the owner should know about a message before it is sent. Every rule is pure and independent, and
 * runs in linear time; none claims that the message is bad. The owner sees the findings, the agent sees nothing.
 * Source: DESIGN, holds.
 */

export interface SafetyRule {
  readonly name: Finding['rule'];
  /** For the owner's list, which shows no evidence. */
  readonly title: string;
  find(message: SafetyFacts): readonly Finding[];
}

/** More recipients outside the conversation than this count as many. */
const OUTSIDERS_MAX = 3;
/** More findings of one kind are left out. */
const FINDINGS_MAX = 10;
const VALUE_CHARS = 120;

export const SAFETY_RULES = [
  {
    name: 'secret',
    title: 'The text seems to contain a password, a key or a one-time code.',
    find(message) {
      const marks = plainMarks(message, secretsIn);
      const severity = message.newAddresses.size > 0 ? 'red' : 'amber';
      return marks === undefined ? [] : [{ rule: 'secret', severity, marks }];
    },
  },
  {
    name: 'account_or_card_number',
    title: 'The text seems to contain a bank account or card number.',
    find(message) {
      const marks = plainMarks(message, accountNumbersIn);
      return marks === undefined ? [] : [{ rule: 'account_or_card_number', severity: 'amber', marks }];
    },
  },
  {
    name: 'near_copy_domain',
    title: 'A domain looks like one you know, but is a different one.',
    find: nearCopies,
  },
  {
    name: 'hidden_host',
    title: 'A host name hides behind the name of another.',
    find: hiddenHosts,
  },
  {
    name: 'reply_elsewhere',
    title: 'The answer goes to somebody other than the sender.',
    find: ({ to, newAddresses, answered }) =>
      answered === null ? [] : repliesElsewhere(to, newAddresses, answered),
  },
  {
    name: 'own_markers',
    title:
      "The text contains the markers that surround untrusted text, so it may carry out a stranger's request.",
    find(message) {
      if (![message.subject, message.body].some(carriesMarker)) return [];
      const marks = exactMarks(message, (text) =>
        fenceLookAlikes(text).map(({ start, end }) => ({ from: start, to: end })),
      );
      return [{ rule: 'own_markers', severity: 'red', marks }];
    },
  },
  {
    name: 'invisible_characters',
    title: 'The text contains invisible characters, or characters that reverse its direction.',
    find(message) {
      if (![message.subject, message.body].some((text) => seenText(text) !== text)) return [];
      const marks = exactMarks(message, (text) =>
        Array.from(text.matchAll(UNSEEN), ({ 0: one, index }) => ({ from: index, to: index + one.length })),
      );
      return [{ rule: 'invisible_characters', severity: 'amber', marks }];
    },
  },
  {
    name: 'misleading_link',
    title: 'A link in the text leads to a different place than it shows.',
    // Unfolded: a look-alike letter means a different host.
    find(message) {
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
  },
  {
    name: 'many_outsiders',
    title: `It goes to more than ${OUTSIDERS_MAX} people who are not part of the conversation.`,
    find({ to, threadAddresses }) {
      const addresses = to.filter((address) => !threadAddresses.has(address));
      if (addresses.length <= OUTSIDERS_MAX) return [];
      return [{ rule: 'many_outsiders', severity: 'amber', marks: [], addresses }];
    },
  },
  {
    name: 'differing_time',
    title: 'The answer names a different time than the message.',
    find({ answered, body }) {
      const found = answered === null ? undefined : differingTime(answered.text, body);
      if (found === undefined) return [];
      const { theirs, given, from, to } = found;
      return [{ rule: 'differing_time', severity: 'info', marks: [{ in: 'text', from, to }], theirs, given }];
    },
  },
  {
    name: 'differing_amount',
    title: 'The answer names a different amount than the message.',
    find({ answered, body }) {
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
  },
] as const satisfies readonly SafetyRule[];

export type SafetyHold = (typeof SAFETY_RULES)[number]['name'];

/** The findings of all rules. */
export function safetyFindings(facts: SafetyFacts): Finding[] {
  return SAFETY_RULES.flatMap((rule: SafetyRule) => rule.find(facts).slice(0, FINDINGS_MAX));
}

function* placesOf(part: string, text: string) {
  if (part === '') return;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    yield { from: at, to: at + part.length };
  }
}

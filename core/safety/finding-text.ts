import { codeOf } from '../text/seen-text.ts';
import type { DomainRole, Finding, FindingSource } from './finding.ts';
import { holdText } from './holds.ts';

/** The sentence of a finding for the owner, with its evidence. */

/** The sentence as plain text. */
export function inWords(sentence: FindingSentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

/** Words of Countersign's own, and names that may come from strangers. A page sets off each name. */
export type FindingSentence = readonly (string | { readonly name: string })[];

export function sentenceOf(finding: Finding): FindingSentence {
  switch (finding.rule) {
    case 'first_time_recipient':
      return ['You have never written from this account to ', ...list(finding.addresses), '.'];
    case 'many_outsiders':
      return [
        `It goes to ${finding.addresses.length} people who are not part of the conversation: `,
        ...list(finding.addresses),
        '.',
      ];
    case 'near_copy_domain': {
      const { role, domain, imitated, times } = finding;
      return say`${WHOSE[role]} ${name(domain)}${letters(domain)} looks like ${name(imitated)}, ${
        times === null ? 'your own domain' : `where you wrote ${timesText(times)}`
      }.`;
    }
    case 'hidden_host':
      return say`${WHOSE[finding.role]} ${name(finding.host)} is not ${name(finding.hidden)}, whose name it shows.`;
    case 'misleading_link':
      return say`A link shows ${name(finding.shown)} and leads to ${name(finding.actual)}.`;
    case 'reply_elsewhere':
      return say`The answer goes to ${name(finding.address)}, not to the sender, ${name(finding.sender)}.`;
    case 'differing_time':
    case 'differing_amount':
      return say`The message says ${name(finding.theirs)}, the answer says ${name(finding.given)}.`;
    case 'from_stranger': {
      const { what, value, isInPieces, source, isUnproven } = finding;
      const part = isInPieces ? 'The domain of the recipient' : TAKEN[what];
      const end: FindingSentence = isUnproven
        ? [', not proven to come from ', name(source.author), '.']
        : [STRANGER];
      return [`${part} `, name(value), ' comes from ', ...sourceWords(source), ...end];
    }
    case 'differing_account':
      return [
        'The account or bank number ',
        name(finding.value),
        ' differs from the one that this sender named before. It comes from ',
        ...sourceWords(finding.source),
        finding.isCorrection
          ? ', and is proven to: the same person corrects it in the same conversation.'
          : '.',
      ];
    case 'sender_not_proven':
      return [
        finding.severity === 'info'
          ? 'The message is not proven to come from '
          : 'The message failed the checks of your mail server. It is not proven to come from ',
        name(finding.sender),
        '.',
      ];
    case 'passes_secret':
      return [
        'A code or password in it is from ',
        ...sourceWords(finding.source),
        ', and goes to somebody else to whom you have never written.',
      ];
    case 'removes_notice':
      return [
        'It puts out of sight what looks like ',
        NOTICES[finding.what],
        ': ',
        ...sourceWords(finding.source),
        '.',
      ];
    default:
      return [holdText(finding.rule)];
  }
}

const WHOSE: Record<DomainRole, string> = {
  recipient: "The recipient's domain",
  sender: "The sender's domain",
  link: 'The linked host',
};

const TAKEN: Record<Extract<Finding, { rule: 'from_stranger' }>['what'], string> = {
  recipient: 'The recipient',
  link: 'The link to',
  address: 'The address',
  account_number: 'The account or bank number',
};

const STRANGER = ', to whom you have never written.';

const NOTICES: Record<Extract<Finding, { rule: 'removes_notice' }>['what'], string> = {
  security: 'a security notice',
  payment: 'a question about a payment',
};

/** Ends with the person who wrote it, if that is known. */
function sourceWords({ kind, title, author, quoting, imitates }: FindingSource): FindingSentence {
  const titled: FindingSentence =
    title === '' ? [`a ${kind} without a title`] : [`the ${kind} “`, name(title), '”'];
  const by: FindingSentence = author === '' ? [' by somebody unknown'] : [' by ', name(author)];
  const quoted: FindingSentence =
    quoting === null ? [] : [', which quotes ', quoting === '' ? 'somebody' : name(quoting)];
  const looks: FindingSentence =
    imitates === undefined ? [] : [' (a domain that looks like ', name(imitates), ')'];
  return [...titled, ...by, ...quoted, ...looks];
}

/** `14 times` */
function timesText(times: number): string {
  if (times === 1) return 'once';
  return times === 2 ? 'twice' : `${times} times`;
}

/** The letters of a name that only look Latin. */
function letters(domain: string): string {
  const others = [...new Set(domain.match(/[^\p{ASCII}]/gu) ?? [])].slice(0, 3);
  return others.length === 0 ? '' : ` (with ${others.map(codeOf).join(', ')})`;
}

function name(text: string): { readonly name: string } {
  return { name: text };
}

function list(names: readonly string[]): FindingSentence {
  return names.flatMap((one, index) => [...(index === 0 ? [] : [', ']), name(one)]);
}

function say(
  words: TemplateStringsArray,
  ...values: readonly (string | { readonly name: string })[]
): FindingSentence {
  return words.flatMap((word, index) => {
    const value = values[index];
    return value === undefined ? [word] : [word, value];
  });
}
